#include "sim/protocols/ticker/ticker.h"

#include <gtest/gtest.h>

#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#include "sim/protocols/registry.h"
#include "sim/stores/registry.h"
#include "sim/stores/schedule_table/requests.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing::ticker_tests {
namespace {

using schedule_table::ReadRuns;
using schedule_table::Runs;
using schedule_table::SetNextRun;
using schedule_table::Written;

constexpr ResourceId kResource{3};
constexpr TimerId kTick{Part::scheduler, 0};
constexpr ScheduleId kA{1}, kB{2};

class TickerTest : public ::testing::Test {
 protected:
  TickerTest() { begin({}); }
  void begin(std::string_view flag) {
    Parameters parameters{find_scheduler_kind("ticker")->parameters()};
    if (!flag.empty()) parameters.set(parameters.find(flag), 1);
    scheduler_ = find_scheduler_kind("ticker")->make({StoreId{0}, kResource, parameters});
    step(Started{world_.self(), 3});
  }
  void step(const Input& input) { scheduler_->step(input, leadership_, world_.env()); }
  void tick() {
    world_.take();
    step(world_.fire(kTick));
  }
  void lead() { leadership_ = {std::nullopt, MonoTime::max()}; }
  schedule_table::ScheduleRow due(ScheduleId id, std::int64_t second) const {
    return {id, {Interval{StoreTime{}, Duration::seconds(10)}}, slot(second)};
  }
  static StoreTime slot(std::int64_t second) { return StoreTime{} + Duration::seconds(second); }

  ScriptedEnv world_;
  Leadership leadership_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(TickerTest, ticks_every_second_and_reads_only_while_it_believes) {
  const MonoTime start = world_.now();
  tick();
  EXPECT_EQ(world_.now(), start + Duration::seconds(1));
  EXPECT_TRUE(world_.outstanding().empty());
  EXPECT_TRUE(world_.notes<LeadershipChecked>().empty());
  lead();
  tick();
  EXPECT_EQ(world_.now(), start + Duration::seconds(2));
  EXPECT_EQ(world_.notes<LeadershipChecked>().size(), 1u);
  const auto read = world_.only_request<ReadRuns>();
  EXPECT_FALSE(read.submission.as_leader);
  EXPECT_EQ(read.submission.deadline, world_.now() + Duration::seconds(3));
}

// The work is long; a crash before its end leaves the row due.
TEST_F(TickerTest, pushes_next_run_on_when_the_work_has_returned) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  world_.take();
  step(world_.applied(read.id, Runs{{due(kA, 20), due(kB, 30)}}));
  EXPECT_EQ(world_.all<Executed>().size(), 2u);
  EXPECT_TRUE(world_.requests<SetNextRun>().empty());
  for (const WorkResult result : {WorkResult::done, WorkResult::fenced}) {
    world_.take();
    const bool first = result == WorkResult::done;
    step(WorkDone{{first ? kB : kA, slot(first ? 30 : 20), 0}, result});
    const auto writes = world_.requests<SetNextRun>();
    ASSERT_EQ(writes.size(), 1u);
    EXPECT_EQ(writes[0].request.schedule, first ? kB : kA);
    EXPECT_EQ(writes[0].request.next_run, slot(first ? 40 : 30));
  }
}

TEST_F(TickerTest, does_not_begin_again_what_it_is_at) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  step(world_.applied(read.id, Runs{{due(kA, 20)}}));
  tick();
  const auto again = world_.only_request<ReadRuns>();
  world_.take();
  step(world_.applied(again.id, Runs{{due(kA, 20), due(kB, 20)}}));
  ASSERT_EQ(world_.all<Executed>().size(), 1u);
  EXPECT_EQ(world_.all<Executed>()[0].item.event.schedule, kB);
}

TEST_F(TickerTest, that_advances_first_runs_what_is_due_and_then_pushes_next_run_on) {
  begin("advance_first");
  lead();
  leadership_.token = Token{1, 4, 9};
  tick();
  const auto read = world_.only_request<ReadRuns>();
  world_.take();
  step(world_.applied(read.id, Runs{{due(kA, 20), due(kB, 30)}}));
  const auto& effects = world_.effects();
  ASSERT_EQ(effects.size(), 4u);  // in this order: the work, then the update
  const auto& work = std::get<Executed>(effects[0]).item;
  EXPECT_EQ(work.event, (reference::EventId{kA, slot(20), 0}));
  EXPECT_EQ(work.token, leadership_.token);
  EXPECT_FALSE(work.once);
  const auto writes = world_.requests<SetNextRun>();
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(writes[0].request.schedule, kA);
  EXPECT_EQ(writes[0].request.next_run, slot(30));
  EXPECT_TRUE(writes[0].submission.as_leader);
}

TEST_F(TickerTest, does_not_ask_again_whether_it_leads) {
  lead();
  leadership_.token = Token{1, 4, 9};
  tick();
  const auto read = world_.only_request<ReadRuns>();
  leadership_ = {};  // lost while the read was under way
  world_.take();
  step(world_.applied(read.id, Runs{{due(kA, 20)}}));
  ASSERT_EQ(world_.all<Executed>().size(), 1u);
  EXPECT_EQ(world_.all<Executed>()[0].item.token, (Token{1, 4, 9}));  // that of the check
  step(WorkDone{{kA, slot(20), 0}, WorkResult::done});
  EXPECT_EQ(world_.requests<SetNextRun>().size(), 1u);
}

TEST_F(TickerTest, skips_ticks_while_a_read_is_under_way) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  tick();
  tick();
  EXPECT_TRUE(world_.all<Requested>().empty());
  step(world_.unknown(read.id));
  tick();
  EXPECT_EQ(world_.requests<ReadRuns>().size(), 1u);
}

TEST_F(TickerTest, is_idle_after_a_stop_when_its_work_and_its_updates_are_back) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  world_.take();
  step(world_.applied(read.id, Runs{{due(kA, 20)}}));
  step(StopAsked{});
  EXPECT_FALSE(scheduler_->idle());
  step(WorkDone{{kA, slot(20), 0}, WorkResult::done});
  EXPECT_FALSE(scheduler_->idle());
  step(world_.applied(world_.requests<SetNextRun>()[0].id, Written{true}));
  EXPECT_TRUE(scheduler_->idle());
  EXPECT_FALSE(world_.timer(kTick).has_value());
}

TEST_F(TickerTest, starts_nothing_that_was_read_before_a_stop) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  step(StopAsked{});
  EXPECT_TRUE(scheduler_->idle());
  world_.take();
  step(world_.applied(read.id, Runs{{due(kA, 20)}}));
  EXPECT_TRUE(world_.effects().empty());
}

TEST_F(TickerTest, a_recurrence_that_ends_is_pushed_to_never) {
  lead();
  tick();
  const auto read = world_.only_request<ReadRuns>();
  world_.take();
  schedule_table::ScheduleRow last = due(kA, 20);
  last.next_run = StoreTime::max() - Duration::seconds(1);
  step(world_.applied(read.id, Runs{{last}}));
  step(WorkDone{{kA, last.next_run, 0}, WorkResult::done});
  EXPECT_EQ(world_.requests<SetNextRun>()[0].request.next_run, StoreTime::max());
}

// On the real table, alone and undisturbed: one late slot a tick until it has caught up, each slot once.
TEST_F(TickerTest, catches_up_one_slot_a_tick) {
  const auto store = find_store_kind("schedule-table")->make();
  std::vector<Notification> ignored;
  const auto store_now = [&] { return StoreTime::from_ns(world_.wall_now().ns()); };
  const StoreTime begin = store_now();
  const Definition every_ten{Interval{begin, Duration::seconds(10)}};
  store->apply(schedule_table::Request{schedule_table::PutRow{kResource, kA, every_ten}}, begin, ignored);
  world_.advance(Duration::seconds(60));
  lead();
  std::vector<StoreTime> slots;
  for (int i = 0; i < 101; ++i) {
    tick();
    const auto answer_all = [&] {
      while (!world_.outstanding().empty()) {
        const auto [id, asked] = *world_.outstanding().begin();
        const Reply reply = store->apply(asked.submission.request, store_now(), ignored);
        step(world_.applied(id, reply));
      }
    };
    answer_all();
    const auto begun = world_.all<Executed>();
    EXPECT_LE(begun.size(), 1u);
    for (const auto& work : begun) {
      slots.push_back(work.item.event.slot);
      step(WorkDone{work.item.event, WorkResult::done});
    }
    answer_all();
  }
  ASSERT_EQ(slots.size(), 17u);
  for (std::size_t i = 0; i < slots.size(); ++i)
    EXPECT_EQ(slots[i], begin + Duration::seconds(10) * static_cast<std::int64_t>(i));
}

}  // namespace
}  // namespace tenure::testing::ticker_tests
