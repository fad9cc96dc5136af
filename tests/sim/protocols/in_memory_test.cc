#include "sim/protocols/in_memory/in_memory.h"

#include <gtest/gtest.h>

#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#include "sim/protocols/registry.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing {
namespace {

using reference::Change;
using reference::Changes;
using reference::ChangesSince;
using reference::Due;
using reference::ReadDue;

constexpr ResourceId kResource{3};
constexpr TimerId kTick{Part::scheduler, 0};
constexpr ScheduleId kA{1};

Definition minutely() {
  return {.recurrence = CronRule{std::make_shared<const Cron>(std::get<Cron>(Cron::parse("* * * * *")))}};
}
Change change(std::uint64_t seq, const Definition& definition, bool deleted = false) {
  return {.seq = seq,
          .segment = {.schedule = kA, .version = 1, .begin = {}, .cursor = {}},
          .definition = definition,
          .deleted = deleted};
}

class InMemoryTest : public ::testing::Test {
 protected:
  InMemoryTest() {
    const SchedulerKind* kind = find_scheduler_kind("in-memory");
    scheduler_ = kind->make({StoreId{0}, kResource, Parameters{kind->parameters()}});
    world_.set_wall(WallTime::from_ns(kNoon.ns()));
    step(Started{world_.self(), 3});
  }
  void step(const Input& input) { scheduler_->step(input, leadership_, world_.env()); }
  void lead() { leadership_ = {Token{1, 4, 9}, MonoTime::max()}; }
  template <class R, class Reply>
  void answer(Reply reply) {
    const auto asked = world_.requests<R>();
    ASSERT_EQ(asked.size(), 1u);
    world_.take();
    step(world_.applied(asked.front().id, std::move(reply)));
  }
  // The snapshot holds `definition`; the watch begins at change 5.
  void load(const Definition& definition) {
    answer<ChangesSince>(Changes{{change(1, definition)}, 1, false, {}});
    answer<ReadDue>(Due{{}, false, 5, {}});
  }
  // Ticks up to the wall time noon + `until`, and returns what was executed.
  std::vector<WorkItem> ticks(Duration until) {
    std::vector<WorkItem> executed;
    while (world_.wall_now() < WallTime::from_ns((kNoon + until).ns())) {
      world_.take();
      step(world_.fire(kTick));
      for (const Executed& one : world_.all<Executed>()) executed.push_back(one.item);
    }
    return executed;
  }

  static constexpr StoreTime kNoon = StoreTime::from_ns(1'767'268'800'000'000'000);  // 2026-01-01T12:00:00Z
  ScriptedEnv world_;
  Leadership leadership_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(InMemoryTest, fires_at_the_tick_iff_it_leads) {
  load(minutely());
  EXPECT_TRUE(ticks(Duration::seconds(90)).empty());
  lead();
  const auto executed = ticks(Duration::seconds(200));
  ASSERT_EQ(executed.size(), 2u);  // 12:01 went by while nobody led
  EXPECT_EQ(executed[0].event, (reference::EventId{kA, kNoon + Duration::minutes(2), 0}));
  EXPECT_EQ(executed[1].event, (reference::EventId{kA, kNoon + Duration::minutes(3), 0}));
  EXPECT_EQ(executed[0].token, leadership_.token);
  EXPECT_FALSE(executed[0].once);
}

TEST_F(InMemoryTest, counts_an_interval_from_when_it_was_seen) {
  world_.advance(Duration::seconds(7));
  load({.recurrence = Interval{kNoon, Duration::seconds(60)}});
  lead();
  const auto executed = ticks(Duration::seconds(130));
  ASSERT_EQ(executed.size(), 2u);
  EXPECT_EQ(executed[0].event.slot, kNoon + Duration::seconds(67));
  EXPECT_EQ(executed[1].event.slot, kNoon + Duration::seconds(127));
}

TEST_F(InMemoryTest, after_standing_still_it_fires_one_slot_and_forgets_the_others) {
  load(minutely());
  lead();
  world_.advance(Duration::seconds(600));
  EXPECT_EQ(ticks(Duration::seconds(601)).size(), 1u);
}

TEST_F(InMemoryTest, never_sees_what_changed_between_its_snapshot_and_its_watch) {
  load(minutely());
  world_.take();
  step(world_.fire(kTick));
  EXPECT_EQ(world_.only_request<ChangesSince>().request.seq, 5u);  // changes 2 to 5 are not asked for
}

TEST_F(InMemoryTest, follows_edits_and_deletes_while_the_watch_stands) {
  load(minutely());
  lead();
  step(world_.fire(kTick));
  answer<ChangesSince>(Changes{{change(6, minutely(), true)}, 6, false, {}});
  EXPECT_TRUE(ticks(Duration::seconds(200)).empty());
}

TEST_F(InMemoryTest, opens_a_watch_that_broke_at_the_present) {
  load(minutely());
  world_.take();
  step(world_.fire(kTick));
  const auto watch = world_.only_request<ChangesSince>();
  step(world_.unknown(watch.id));
  world_.take();
  step(world_.fire(kTick));
  EXPECT_EQ(world_.requests<ReadDue>().size(), 1u);
}

TEST_F(InMemoryTest, a_paused_schedule_does_not_fire) {
  Definition paused = minutely();
  paused.paused = true;
  load(paused);
  lead();
  EXPECT_TRUE(ticks(Duration::seconds(200)).empty());
}

TEST_F(InMemoryTest, stops_ticking_when_asked_and_is_idle_once_its_work_is_back) {
  load(minutely());
  lead();
  const auto executed = ticks(Duration::seconds(30));
  ASSERT_EQ(executed.size(), 1u);
  step(StopAsked{});
  EXPECT_FALSE(world_.timer(kTick).has_value());
  EXPECT_FALSE(scheduler_->idle());
  step(WorkDone{executed[0].event, WorkResult::done});
  EXPECT_TRUE(scheduler_->idle());
}

}  // namespace
}  // namespace tenure::testing
