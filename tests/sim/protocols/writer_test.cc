#include "sim/protocols/writer/writer.h"

#include <gtest/gtest.h>

#include "core/scheduler/scheduler_kind.h"
#include "sim/protocols/registry.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing::writer_tests {
namespace {

constexpr ResourceId kResource{3};
constexpr TimerId kTick{Part::scheduler, 0};

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() {
    const SchedulerKind& kind = *find_scheduler_kind("writer");
    writer_ = kind.make({StoreId{0}, kResource, Parameters{kind.parameters()}});
    step(Started{world_.self(), 3});
  }
  void step(const Input& input) { writer_->step(input, leadership_, world_.env()); }
  void tick() {
    world_.take();
    step(world_.fire(kTick));
  }
  std::vector<WriteSent> writes() const { return world_.all<WriteSent>(); }

  ScriptedEnv world_;
  Leadership leadership_;
  std::unique_ptr<Scheduler> writer_;
};

TEST_F(WriterTest, writes_every_second_while_it_believes_with_the_token_that_it_holds) {
  const MonoTime start = world_.now();
  tick();
  EXPECT_TRUE(writes().empty());
  EXPECT_TRUE(world_.notes<LeadershipChecked>().empty());
  leadership_ = {Token{1, 7, 5}, MonoTime::max()};
  tick();
  EXPECT_EQ(world_.now(), start + Duration::seconds(2));
  ASSERT_EQ(writes().size(), 1U);
  EXPECT_EQ(world_.notes<LeadershipChecked>().size(), 1U);
  EXPECT_EQ(writes()[0].item.resource, kResource);
  EXPECT_EQ(writes()[0].item.token, (Token{1, 7, 5}));
  const std::uint64_t first = writes()[0].item.number;
  tick();
  EXPECT_NE(writes()[0].item.number, first);
}

TEST_F(WriterTest, does_not_wait_for_an_answer_and_is_idle_when_all_have_come) {
  leadership_ = {std::nullopt, MonoTime::max()};
  tick();
  tick();
  EXPECT_EQ(writes().size(), 1U);
  EXPECT_FALSE(writer_->idle());
  step(WriteDone{1, false});
  EXPECT_FALSE(writer_->idle());
  step(WriteDone{2, true});
  EXPECT_TRUE(writer_->idle());
}

TEST_F(WriterTest, writes_nothing_once_its_belief_is_over_or_it_is_asked_to_stop) {
  leadership_ = {std::nullopt, world_.now() + Duration::millis(1'500)};
  tick();
  EXPECT_EQ(writes().size(), 1U);
  tick();  // at 2 s
  EXPECT_TRUE(writes().empty());
  leadership_ = {std::nullopt, MonoTime::max()};
  step(StopAsked{});
  step(TimerFired{kTick});
  EXPECT_TRUE(writes().empty());
}

}  // namespace
}  // namespace tenure::testing::writer_tests
