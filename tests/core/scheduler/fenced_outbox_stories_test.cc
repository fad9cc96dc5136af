// Known ways in which simpler designs break, on the real reference store.
#include <gtest/gtest.h>

#include "tests/core/scheduler/history.h"
#include "tests/core/scheduler/mini_cluster.h"

namespace tenure::testing::fenced_outbox_stories_tests {
namespace {

constexpr ScheduleId kBilling{1};

Parameters parameters() { return Parameters{kFencedOutbox.parameters()}; }
StoreTime at(True ns) { return StoreTime::from_ns(kEpochNs + ns); }
Definition every(std::int64_t s, True start = 0) { return {Interval{at(start), Duration::seconds(s)}}; }

class FencedOutboxStories : public ::testing::Test {
 protected:
  void start_all() {
    for (int i = 0; i < world_.size(); ++i) world_.start(i);
  }
  void expect_right(True until) {
    for (const std::string& text : judge(world_, at(until)).wrong) ADD_FAILURE() << text;
  }
  std::uint64_t begun(True from, True to) const {
    std::uint64_t n = 0;
    for (const BegunWork& work : world_.begun)
      if (work.event.slot >= at(from) && work.event.slot < at(to)) ++n;
    return n;
  }

  LittleWorld world_{4'711, 3, parameters()};
};

TEST_F(FencedOutboxStories, fires_every_slot_within_milliseconds_when_nothing_is_wrong) {
  start_all();
  world_.put(kBilling, every(10, 5 * kSec));
  world_.grant(0);
  world_.run_until(600 * kSec);
  expect_right(599 * kSec);
  EXPECT_EQ(begun(0, 600 * kSec), 60u);
  for (const BegunWork& work : world_.begun) {
    EXPECT_GE(work.store_now, work.event.slot);
    EXPECT_LE(work.store_now, work.event.slot + Duration::millis(30));
  }
}

// An edit lands between the leader's wake and its commit: the slot stays with the old version, and fires.
TEST_F(FencedOutboxStories, an_edit_just_after_a_slot_neither_loses_nor_repeats_it) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.at(30 * kSec + 50'000, [&] { world_.put(kBilling, every(7, 3 * kSec)); });
  world_.run_until(60 * kSec);
  expect_right(59 * kSec);
  EXPECT_EQ(begun(30 * kSec, 30 * kSec + kMs), 1u);
}

TEST_F(FencedOutboxStories, a_leader_whose_lease_is_gone_commits_nothing) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.run_until(25 * kSec);
  world_.release();  // it goes on believing
  world_.run_until(55 * kSec);
  EXPECT_EQ(begun(30 * kSec, 55 * kSec), 0u);
  world_.grant(1);
  world_.run_until(70 * kSec);
  expect_right(69 * kSec);
}

TEST_F(FencedOutboxStories, a_zombie_that_wakes_with_work_in_hand_is_refused) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.at(29'999 * kMs, [&] { world_.pause(0, 20 * kSec); });
  world_.at(35 * kSec, [&] { world_.grant(1); });
  world_.at(50 * kSec, [&] { world_.forget_leadership(0); });
  world_.run_until(80 * kSec);
  expect_right(79 * kSec);
}

TEST_F(FencedOutboxStories, what_a_dead_leader_committed_its_successor_delivers) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.run_until(29 * kSec);
  const std::size_t rows = world_.rows.size();
  // Once the fire is in the ledger, and before its leader hears of it.
  while (world_.rows.size() == rows) world_.run_until(world_.now() + 10'000);
  world_.kill(0);
  EXPECT_EQ(begun(30 * kSec, 40 * kSec), 0u);
  world_.grant(1);
  world_.run_until(60 * kSec);
  expect_right(59 * kSec);
}

// The clock goes forward, the leader raises the alarm and dies; its successor has only the hold to go by.
TEST_F(FencedOutboxStories, a_hold_outlives_the_leader_that_set_it) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.run_until(25 * kSec);
  world_.step_store_clock(3'600 * kSec);
  const std::size_t rows = world_.rows.size();
  world_.run_until(42 * kSec);
  EXPECT_TRUE(world_.hold().has_value());
  const std::size_t at_alarm = world_.rows.size();
  EXPECT_LE(at_alarm - rows, 1u);  // the one commit that told of it
  world_.kill(0);
  world_.kill(2);
  world_.start(2);  // without a past
  world_.grant(2);
  world_.run_until(80 * kSec);
  EXPECT_EQ(world_.rows.size(), at_alarm);
  world_.step_store_clock(-3'600 * kSec);
  world_.run_until(200 * kSec);
  EXPECT_FALSE(world_.hold().has_value());
  expect_right(199 * kSec);
}

TEST_F(FencedOutboxStories, fires_an_hour_early_when_the_clock_stays_an_hour_ahead) {
  start_all();
  world_.put(kBilling, every(600, 300 * kSec));
  world_.grant(0);
  world_.run_until(25 * kSec);
  world_.step_store_clock(3'600 * kSec);
  world_.run_until(70 * kSec);
  EXPECT_EQ(begun(0, 4'000 * kSec), 0u);
  world_.run_until(130 * kSec);  // steady for clock_hold: the store's time is the time
  EXPECT_FALSE(world_.hold().has_value());
  for (const std::string& text : judge(world_, world_.store_now() - Duration::seconds(5)).wrong)
    ADD_FAILURE() << text;
  EXPECT_EQ(begun(0, 4'000 * kSec), 6u);
}

TEST_F(FencedOutboxStories, a_clock_that_goes_back_fires_nothing_twice) {
  start_all();
  world_.put(kBilling, every(10));
  world_.grant(0);
  world_.run_until(125 * kSec);
  world_.step_store_clock(-100 * kSec);
  world_.run_until(400 * kSec);
  expect_right(295 * kSec);
  EXPECT_GE(world_.alarms.size(), 1u);
}

TEST_F(FencedOutboxStories, an_outage_longer_than_grace_is_handled_by_each_schedules_policy) {
  start_all();
  for (const std::uint32_t policy : {0u, 1u, 2u}) {
    Definition d = every(10);
    d.misfire.policy = static_cast<Misfire::Policy>(policy);
    world_.put(ScheduleId{policy}, d);
  }
  world_.grant(0);
  world_.run_until(101 * kSec);
  world_.kill(0);
  world_.run_until(301 * kSec);  // 110 … 300: twenty slots, of which 110 … 240 are late
  world_.grant(1);
  world_.run_until(310'500 * kMs);
  expect_right(310 * kSec);
  std::map<std::uint32_t, int> late;
  for (const BegunWork& work : world_.begun)
    if (work.event.slot >= at(110 * kSec) && work.event.slot <= at(240 * kSec))
      ++late[work.event.schedule.value];
  EXPECT_EQ(late[0], 14);
  EXPECT_EQ(late[1], 1);
  EXPECT_EQ(late[2], 0);
}

TEST_F(FencedOutboxStories, a_manual_run_is_executed_once_and_covers_no_slot) {
  start_all();
  world_.put(kBilling, every(1'000, 500 * kSec));
  world_.grant(0);
  world_.at(20 * kSec, [&] { world_.trigger(kBilling, 42); });
  world_.run_until(30 * kSec);
  ASSERT_EQ(world_.begun.size(), 1u);
  EXPECT_EQ(world_.begun[0].event.run, 42u);
  EXPECT_EQ(world_.outbox_size(), 0u);
}

TEST_F(FencedOutboxStories, a_paused_schedule_costs_a_row_now_and_then_and_resumes_where_it_is) {
  start_all();
  Definition paused = every(1);
  paused.paused = true;
  world_.put(kBilling, paused);
  world_.grant(0);
  world_.run_until(100 * kSec + 500 * kMs);
  EXPECT_LE(world_.rows.size(), 11u);
  world_.put(kBilling, every(1));
  world_.run_until(105 * kSec);
  expect_right(104 * kSec);
  EXPECT_EQ(begun(0, 101 * kSec), 0u);
  EXPECT_EQ(begun(101 * kSec, 105 * kSec), 4u);
}

TEST_F(FencedOutboxStories, a_stopping_leader_hands_over_without_a_gap_or_a_repeat) {
  start_all();
  world_.put(kBilling, every(1));
  world_.grant(0);
  world_.at(20'001 * kMs, [&] { world_.stop(0); });
  std::function<void()> when_idle = [&] {
    if (!world_.idle(0)) return world_.at(world_.now() + kMs, when_idle);
    world_.forget_leadership(0);
    world_.grant(1);
  };
  world_.at(20'002 * kMs, when_idle);
  world_.run_until(60 * kSec);
  EXPECT_TRUE(world_.idle(0));
  expect_right(59 * kSec);
  EXPECT_EQ(world_.refused_as_duplicate, 0u);
}

// Why the event id matters: a leader dies after the work began, before the outbox knew.
TEST_F(FencedOutboxStories, without_event_ids_a_crash_before_the_acknowledgement_executes_twice) {
  for (const bool honours : {true, false}) {
    LittleWorld world{816, 3, parameters()};
    world.resource_honours_event_id = honours;
    for (int i = 0; i < 3; ++i) world.start(i);
    world.put(kBilling, every(10));
    world.grant(0);
    world.run_until(30 * kSec);
    const std::size_t before = world.begun.size();
    while (world.begun.size() == before) world.run_until(world.now() + 10'000);
    world.kill(0);
    world.grant(1);
    world.run_until(35 * kSec);
    EXPECT_EQ(world.begun.size(), before + (honours ? 1u : 2u));
    EXPECT_EQ(world.refused_as_duplicate, honours ? 1u : 0u);
  }
}

// Five instances, a hundred schedules, an hour: what a quiet day asks of the store.
TEST_F(FencedOutboxStories, is_light_on_the_store) {
  LittleWorld world{99, 5, parameters()};
  for (int i = 0; i < 5; ++i) world.start(i);
  for (std::uint32_t s = 0; s < 100; ++s) world.put(ScheduleId{s}, every(10));
  world.grant(0);
  world.run_until(3'600 * kSec);
  EXPECT_EQ(world.begun.size(), 36'000u);
  std::uint64_t requests = 0;
  for (const auto& [kind, n] : world.requests) requests += n;
  EXPECT_LE(requests,
            3'600u * 2);  // a poll every 5 s from each, a sweep, a commit and acknowledgements every 10 s
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_stories_tests
