// no-lost-fire: what is owed although an edit or the store's clock would have it forgotten, and when it is lost.
#include <gtest/gtest.h>

#include "sim/stores/schedule_table/requests.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

void heal_after_a_minute(History& h) {
  h.at(seconds(60));
  h.heals();
}
void steps(History& h, Duration by) {
  h.view.store_ahead += by;
  h.see(StoreClockStepped{StoreId{}, by});
}
void deletes(History& h) {
  h.applies(kClient, schedule_table::Request{schedule_table::DeleteRow{kResource, kBilling}},
            schedule_table::Reply{schedule_table::Written{}});
}
void does(History& h, std::initializer_list<int> slots) {
  for (const int slot : slots) {
    h.at(seconds(slot));
    h.work_is_done(kN1, seconds(slot));
  }
}
void fires(History& h, std::initializer_list<int> slots) {
  for (const int slot : slots) {
    h.at(seconds(slot) + millis(200));
    h.covers(kN1, token(1), History::fired_row(seconds(slot)));
    h.work_is_done(kN1, seconds(slot), token(1));
  }
}
std::vector<Violation> lost(const History& h) {
  const Violations& all = h.checker("no-lost-fire").violations();
  return {all.begin(), all.end()};
}

// ---- deleted, paused ----

TEST(LostWhen, a_deleted_schedule_owes_what_had_been_due_for_a_while) {
  History h{table_scenario()};
  does(h, {0, 20, 30});
  h.at(seconds(55));
  deletes(h);  // 50s was due, but for 5s only
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 2u);
  EXPECT_EQ(lost(h)[0].message, "billing 2026-01-01T00:00:10Z was never executed");
  EXPECT_EQ(lost(h)[1].message, "billing 2026-01-01T00:00:40Z was never executed");
}

TEST(LostWhen, a_schedule_deleted_at_once_owes_nothing) {
  History h{table_scenario()};
  h.at(seconds(5));
  deletes(h);
  heal_after_a_minute(h);
  h.finishes();
  EXPECT_EQ(lost(h).size(), 0u);
}

TEST(LostWhen, a_deleted_schedule_that_is_created_anew_owes_again) {
  History h{table_scenario()};
  does(h, {0});
  h.at(seconds(5));
  deletes(h);
  h.at(seconds(15));
  h.puts(kBilling, 2, every(seconds(10)));
  does(h, {30, 50, 60});
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 2u);
  EXPECT_EQ(lost(h)[0].message, "billing 2026-01-01T00:00:20Z was never executed");
  EXPECT_EQ(lost(h)[1].message, "billing 2026-01-01T00:00:40Z was never executed");
  EXPECT_EQ(h.checker("caught-up").violation_count(), 1u);  // nor is what is due in the tail handled
}

TEST(LostWhen, a_pause_takes_nothing_away) {
  History h{table_scenario()};
  does(h, {0, 10});
  h.at(seconds(45));
  h.puts(kBilling, 2, every(seconds(10), Misfire::Policy::fire_all, true));
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 1u);
  EXPECT_EQ(
      lost(h)[0].message,
      "billing 2026-01-01T00:00:20Z and the slots up to 2026-01-01T00:00:40Z (3 in all) were never executed");
}

// A moment in a false future makes nothing due for a while.
TEST(LostWhen, a_schedule_deleted_in_a_false_future_owes_no_slots_of_it) {
  History h{table_scenario()};
  does(h, {0, 10});
  h.at(seconds(12));
  steps(h, Duration::hours(1));
  h.at(seconds(13));
  deletes(h);
  h.at(seconds(14));
  steps(h, -Duration::hours(1));
  heal_after_a_minute(h);
  h.finishes();
  EXPECT_EQ(lost(h).size(), 0u);
}

// ---- steps of the store's clock ----

TEST(LostWhen, a_slot_that_later_ones_passed_stays_lost_whatever_the_clock_says) {
  for (const int back : {30, 45, 3'600}) {
    for (const bool twice : {false, true}) {
      History h{table_scenario()};
      does(h, {0, 30, 40, 50});
      h.at(seconds(59));
      steps(h, -seconds(twice ? back / 2 : back));
      if (twice) steps(h, -seconds(back - back / 2));
      heal_after_a_minute(h);
      h.finishes();
      ASSERT_EQ(lost(h).size(), 1u) << back;
      EXPECT_EQ(lost(h)[0].message,
                "billing 2026-01-01T00:00:10Z and the slots up to 2026-01-01T00:00:20Z (2 in all) were never "
                "executed");
      EXPECT_EQ(lost(h)[0].since, at_seconds(10));
      EXPECT_EQ(lost(h)[0].at, at_seconds(20));
    }
  }
}

TEST(LostWhen, an_edit_after_the_clock_went_back_takes_nothing_away) {
  for (const bool deleted : {true, false}) {
    History h{table_scenario()};
    does(h, {0, 30, 40});
    h.at(seconds(45));
    steps(h, -seconds(40));
    deleted ? deletes(h) : h.puts(kBilling, 2, every(seconds(3'600)));
    heal_after_a_minute(h);
    h.finishes();
    ASSERT_EQ(lost(h).size(), 1u);
    EXPECT_EQ(lost(h)[0].message,
              "billing 2026-01-01T00:00:10Z and the slots up to 2026-01-01T00:00:20Z (2 in all) were never "
              "executed");
    EXPECT_EQ(lost(h)[0].at, at_seconds(20));
  }
}

TEST(LostWhen, a_gap_in_the_ledger_stays_one_whatever_the_clock_says) {
  History h{reference_scenario()};
  fires(h, {0, 30, 40, 50});
  h.at(seconds(59));
  steps(h, -Duration::hours(1));
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 1u);
  EXPECT_EQ(lost(h)[0].at, at_seconds(20));
}

TEST(LostWhen, slots_that_came_due_and_that_the_clock_took_back_are_not_judged) {
  for (const bool table : {true, false}) {
    Scenario scenario = table ? table_scenario() : reference_scenario();
    const int hold = scenario.scheduling.find("clock_hold");
    if (hold >= 0) scenario.scheduling.set(hold, seconds(5).ns());
    History h{std::move(scenario)};
    table ? does(h, {0, 10}) : fires(h, {0, 10});
    h.at(seconds(59));
    steps(h, -seconds(50));  // nothing since 10s: 20s to 40s had been due for long
    heal_after_a_minute(h);
    h.finishes();
    EXPECT_EQ(lost(h).size(), 0u);
    ASSERT_EQ(h.checker("no-lost-fire").not_judged().size(), 1u) << table;
    EXPECT_NE(h.checker("no-lost-fire").not_judged()[0].find("billing 2026-01-01T00:00:20Z the first"),
              std::string::npos);
  }
}

TEST(LostWhen, a_moment_in_a_false_future_makes_nothing_owed) {
  for (const bool table : {true, false}) {
    History h{table ? table_scenario() : reference_scenario()};
    table ? does(h, {0, 10}) : fires(h, {0, 10});
    h.at(seconds(11));
    steps(h, Duration::hours(1));
    h.at(seconds(12));
    steps(h, -Duration::hours(1));
    table ? does(h, {20, 30, 40, 50, 60}) : fires(h, {20, 30, 40, 50, 60});
    h.heals();
    h.finishes();
    EXPECT_EQ(lost(h).size(), 0u);
    EXPECT_TRUE(h.checker("no-lost-fire").not_judged().empty());
  }
}

// ---- what a leader may have read ----

Scenario with(Misfire::Policy policy, Overlap overlap) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition = every(seconds(10), policy);
  scenario.schedules.front().definition.overlap = overlap;
  return scenario;
}

// A minute after a step that was undone, nobody rests on it.
TEST(LostWhen, a_slot_is_not_late_because_of_a_step_that_was_undone_long_ago) {
  for (const int undone : {2, 95}) {
    Scenario scenario = with(Misfire::Policy::skip, Overlap::allow);
    scenario.schedules.front().definition.misfire.grace = seconds(5);
    History h{std::move(scenario)};
    h.at(seconds(undone - 1));
    steps(h, Duration::hours(1));
    h.at(seconds(undone));
    steps(h, -Duration::hours(1));
    h.at(seconds(100) + millis(100));
    h.covers(kN1, token(1),
             History::range_row(seconds(99), seconds(100) + millis(1), reference::Disposition::missed));
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), undone == 2 ? 1u : 0u);
  }
}

TEST(LostWhen, work_that_ended_before_a_slot_came_due_does_not_suppress_it) {
  for (const bool step : {false, true}) {
    History h{with(Misfire::Policy::fire_all, Overlap::skip)};
    h.at(seconds(1));
    if (step) steps(h, Duration::hours(1));  // shows the slot for a moment, and takes it back
    h.at(seconds(2));
    if (step) steps(h, -Duration::hours(1));
    h.at(seconds(10));
    h.covers(kN1, token(1), History::fired_row(seconds(10)));
    h.asks_for(kN1, seconds(10), token(1));
    h.work_is_done(kN1, seconds(10), token(1));
    h.submits(kN1,
              reference::Request{reference::AckEvents{kResource, {{kBilling, store_at(seconds(10)), 0}}}},
              false);
    h.at(seconds(100) + millis(100));
    h.covers(kN1, token(1),
             History::range_row(seconds(99), seconds(100) + millis(1), reference::Disposition::overlapped));
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 1u);
  }
}

// ---- dates ----

TEST(LostWhen, a_slot_is_lost_a_while_after_it_came_due_or_at_the_heal) {
  History h{reference_scenario()};
  fires(h, {0, 10, 30, 40, 50});
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 2u);
  EXPECT_EQ(lost(h)[0].since, at_seconds(20));
  EXPECT_EQ(lost(h)[0].at, at_seconds(30));
  EXPECT_EQ(lost(h)[1].since, at_seconds(60));
  EXPECT_EQ(lost(h)[1].at, at_seconds(60));
}

TEST(LostWhen, what_a_failover_took_is_lost_since_the_failover) {
  for (const bool another : {false, true}) {  // slot that was never handled
    History h{reference_scenario()};
    fires(h, {0, 10});
    h.see(StoreReplicaStalled{});
    fires(h, {20});
    if (!another) fires(h, {30});
    h.at(seconds(45));
    h.see(StoreFailedOver{StoreId{}, 1});
    fires(h, {40, 50, 60});
    h.heals();
    h.finishes();
    ASSERT_EQ(lost(h).size(), 1u);
    EXPECT_EQ(
        lost(h)[0].message,
        "billing 2026-01-01T00:00:20Z and the slots up to 2026-01-01T00:00:30Z (2 in all) are not in the "
        "ledger");
    EXPECT_EQ(lost(h)[0].since, at_seconds(another ? 30 : 45));
    EXPECT_EQ(lost(h)[0].at, at_seconds(another ? 40 : 55));
  }
}

TEST(LostWhen, a_failover_takes_no_work_of_a_deleted_schedule) {
  History h{table_scenario()};
  does(h, {0, 20});
  h.at(seconds(42));
  deletes(h);
  h.see(StoreReplicaStalled{});
  h.at(seconds(45));
  h.see(StoreFailedOver{StoreId{}, 1});
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 2u);
  EXPECT_EQ(lost(h)[0].at, at_seconds(20));
  EXPECT_EQ(lost(h)[1].at, at_seconds(40));
}

TEST(LostWhen, work_that_never_begins_is_lost_a_while_after_its_commit) {
  History h{reference_scenario()};
  fires(h, {0, 10, 20, 40, 50, 60});
  h.at(seconds(33));
  h.covers(kN1, token(1), History::fired_row(seconds(30)));
  heal_after_a_minute(h);
  h.finishes();
  ASSERT_EQ(lost(h).size(), 1u);
  EXPECT_EQ(lost(h)[0].since, at_seconds(33));
  EXPECT_EQ(lost(h)[0].at, at_seconds(43));
}

// ---- never-early ----

TEST(EarlyWhen, a_step_that_was_undone_excuses_nothing) {
  History h{table_scenario()};
  h.at(seconds(1));
  steps(h, Duration::hours(1));
  h.at(seconds(2));
  steps(h, -Duration::hours(1));
  h.at(seconds(5));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(h.first_message("never-early"),
            "billing 2026-01-01T00:00:10Z was executed by n1 at 5.000s, 5s early");
}

TEST(EarlyWhen, work_that_was_asked_for_in_time_is_not_early_when_it_begins) {
  History h{table_scenario()};
  h.at(seconds(10));
  h.asks_for(kN1, seconds(10));
  h.at(seconds(11));
  steps(h, -seconds(60));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(h.checker("never-early").violation_count(), 0u);
  h.work_is_done(kN1, seconds(0));
  EXPECT_EQ(h.checker("never-early").violation_count(), 1u);
}

TEST(EarlyWhen, work_of_a_slot_that_was_given_up_is_nobody_s) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition = every(seconds(10), Misfire::Policy::skip);
  History h{std::move(scenario)};
  h.at(seconds(35));
  reference::LedgerRow row = History::range_row({}, seconds(31), reference::Disposition::missed);
  row.slot = store_at(seconds(30));
  h.covers(kN1, token(1), row);
  h.work_is_done(kN1, seconds(30), token(1));
  EXPECT_EQ(h.first_message("never-early"),
            "billing 2026-01-01T00:00:30Z was executed by n1 at 35.000s, although its row does not say that "
            "it fired");
}

}  // namespace
}  // namespace tenure::sim
