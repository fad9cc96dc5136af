// no-lost-fire: what is owed, and what accounts for it.
#include <gtest/gtest.h>

#include "sim/checkers/oracle/slots.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim::no_lost_fire_tests {
namespace {

using reference::Disposition;
using reference::LedgerRow;

LedgerRow range_row(Duration from, Duration to, Disposition what, std::uint32_t version = 1) {
  return History::range_row(from, to, what, version);
}

// Every slot in [from, to) as one row each, by n1.
void fire_all(History& h, int from, int to, std::uint32_t version = 1) {
  for (int slot = from; slot < to; slot += 10) {
    h.at(seconds(slot) + millis(200));
    h.covers(kN1, token(1), History::fired_row(seconds(slot), version));
    h.work_is_done(kN1, seconds(slot), token(1));
  }
}

void heal_at_60(History& h) {
  h.at(seconds(60));
  h.heals();
}

Scenario with_policy(Misfire::Policy policy, bool paused = false) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition = every(seconds(10), policy, paused);
  return scenario;
}

TEST(NoLostFire, counts_each_slot_that_was_owed_at_the_heal) {
  History h{reference_scenario()};
  fire_all(h, 0, 70);
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").opportunities(), 7u);  // 0s to 60s
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, names_the_slots_of_a_gap_together) {
  History h{reference_scenario()};
  fire_all(h, 0, 20);
  fire_all(h, 40, 70);
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 1u);
  EXPECT_EQ(h.first_message("no-lost-fire"),
            "billing 2026-01-01T00:00:20Z and the slots up to 2026-01-01T00:00:30Z (2 in all) are not in the "
            "ledger");
}

TEST(NoLostFire, lets_a_fired_row_account_for_its_own_slot_only) {
  for (const bool before : {true, false}) {
    History h{reference_scenario()};
    LedgerRow wide = History::fired_row(seconds(30));
    if (before) wide.from = store_at({});
    if (!before) wide.to = store_at(seconds(70));
    if (!before) fire_all(h, 0, 30);
    h.covers(kN1, token(1), wide);
    h.work_is_done(kN1, seconds(30), token(1));
    if (before) fire_all(h, 40, 70);
    heal_at_60(h);
    h.finishes();
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 1u);
  }
}

TEST(NoLostFire, lets_a_fired_row_reach_back_over_time_without_slots) {
  History h{reference_scenario()};
  fire_all(h, 0, 10);
  LedgerRow row = History::fired_row(seconds(10));
  row.from = store_at(seconds(1));
  h.covers(kN1, token(1), row);
  h.work_is_done(kN1, seconds(10), token(1));
  fire_all(h, 20, 70);
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, wants_the_work_of_what_was_committed) {
  History h{reference_scenario()};
  fire_all(h, 0, 70);
  h.at(seconds(40));
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);

  History lost{reference_scenario()};
  fire_all(lost, 0, 60);
  lost.at(seconds(60));
  lost.covers(kN2, token(1), History::fired_row(seconds(60)));
  lost.heals();
  lost.covers(kN2, token(1), History::fired_row(seconds(70)));  // not owed yet
  lost.finishes();
  EXPECT_EQ(lost.checker("no-lost-fire").violation_count(), 1u);
  EXPECT_EQ(lost.first_message("no-lost-fire"),
            "billing 2026-01-01T00:01:00Z was committed by n2 at 1m00.000s, but its work never began");
}

TEST(NoLostFire, allows_a_disposition_that_the_definition_allows) {
  const struct {
    Misfire::Policy policy;
    bool paused;
    Disposition what;
    bool allowed;
  } cases[] = {
      {Misfire::Policy::fire_all, false, Disposition::missed, false},
      {Misfire::Policy::fire_all, false, Disposition::coalesced, false},
      {Misfire::Policy::fire_all, false, Disposition::paused, false},
      {Misfire::Policy::fire_all, true, Disposition::paused, true},
      {Misfire::Policy::skip, false, Disposition::missed, true},
      {Misfire::Policy::skip, false, Disposition::coalesced, false},
      {Misfire::Policy::fire_once, false, Disposition::coalesced, false},  // a part of the fired row
      {Misfire::Policy::fire_once, false, Disposition::missed, false},
      {Misfire::Policy::fire_all, false, Disposition::deleted, false},
  };
  for (const auto& c : cases) {
    History h{with_policy(c.policy, c.paused)};
    h.at(seconds(100));
    h.covers(kN1, token(1), range_row({}, seconds(31), c.what));
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), c.allowed ? 0u : 1u);
  }
}

// A closed segment in which no slot is left is drained by a row that says missed, of nothing.
TEST(NoLostFire, has_nothing_against_a_missed_row_without_slots) {
  History h{reference_scenario()};
  h.covers(kN1, token(1), range_row(seconds(1), seconds(9), Disposition::missed));
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

// An edit half a second after a slot: the slot stays with the version that it was due under.
TEST(NoLostFire, owes_the_slots_up_to_an_edit_to_the_version_before) {
  for (const bool drained : {true, false}) {
    History h{reference_scenario()};
    fire_all(h, 0, 30);
    h.at(millis(30'500));
    h.puts(kBilling, 2, every(seconds(20)));
    if (drained) {
      LedgerRow last = History::fired_row(seconds(30));
      last.to = store_at(millis(30'500));
      h.covers(kN1, token(1), last);
      h.work_is_done(kN1, seconds(30), token(1));
    }
    for (const int slot : {40, 60}) {
      h.at(seconds(slot) + millis(200));
      LedgerRow row = History::fired_row(seconds(slot), 2);
      row.to = row.slot + seconds(20);
      h.covers(kN1, token(1), row);
      h.work_is_done(kN1, seconds(slot), token(1));
    }
    heal_at_60(h);
    h.finishes();
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), drained ? 0u : 1u);
    EXPECT_EQ(h.checker("no-lost-fire").opportunities(), 6u);
    if (!drained) {
      EXPECT_EQ(h.first_message("no-lost-fire"), "billing 2026-01-01T00:00:30Z is not in the ledger");
    }
  }
}

TEST(NoLostFire, does_not_let_an_edit_own_a_slot_again_when_the_clock_went_back) {
  History h{reference_scenario()};
  fire_all(h, 0, 70);
  h.at(millis(60'500));
  h.view.store_ahead = seconds(-30);
  h.puts(kBilling, 2, every(seconds(10)));  // at 30.5s by the store, where 60s has fired
  h.view.store_ahead = Duration{};
  h.at(millis(60'600));
  h.heals();
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, takes_an_edit_that_is_applied_again_for_the_same_edit) {
  History h{reference_scenario()};
  fire_all(h, 0, 70);
  h.at(seconds(35));
  h.puts(kBilling, 1, every(seconds(10)));
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, lets_a_delete_account_for_what_it_left) {
  History h{reference_scenario()};
  fire_all(h, 0, 30);
  h.at(seconds(55));
  h.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 1}},
            reference::Reply{reference::Edited{1, 2}});
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
  EXPECT_EQ(h.checker("caught-up").violation_count(), 0u);
  EXPECT_EQ(h.metrics().skipped_slots, 3u);
}

TEST(NoLostFire, owes_manual_runs) {
  for (const bool executed : {true, false}) {
    History h{reference_scenario()};
    fire_all(h, 0, 70);
    h.at(seconds(50));
    for (int i = 0; i < 2; ++i) {  // asked twice, by one number
      h.applies(kClient,
                reference::Request{reference::TriggerSchedule{kResource, kBilling, 9, store_at(seconds(50))}},
                reference::Reply{reference::Edited{1, 1}});
    }
    if (executed) {
      h.see(WorkLanded{kN1,
                       {kResource, {kBilling, store_at(seconds(50)), 9}, token(1), true},
                       DeliveryOutcome::begun,
                       store_at(seconds(50))});
    }
    heal_at_60(h);
    h.finishes();
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), executed ? 0u : 1u);
  }
}

TEST(NoLostFire, owes_no_manual_run_that_was_asked_for_after_the_heal) {
  History h{reference_scenario()};
  fire_all(h, 0, 70);
  heal_at_60(h);
  h.applies(kClient,
            reference::Request{reference::TriggerSchedule{kResource, kBilling, 9, store_at(seconds(50))}},
            reference::Reply{reference::Edited{1, 1}});
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, owes_each_slot_of_a_backfill) {
  for (const bool all : {true, false}) {
    History h{reference_scenario()};
    fire_all(h, 0, 70);
    h.at(seconds(50));
    const auto backfills = [&h](std::uint64_t run, std::vector<StoreTime> slots,
                                const reference::Reply& reply) {
      h.applies(kClient,
                reference::Request{reference::BackfillSchedule{kResource, kBilling, run, std::move(slots)}},
                reply);
    };
    const std::vector<StoreTime> slots = {store_at(seconds(-20)), store_at(seconds(-10))};
    backfills(9, slots, reference::Edited{1, 1});
    backfills(9, slots, reference::Edited{1, 1});  // asked again
    backfills(8, slots, reference::EditRefused{reference::EditDenial::in_future, 1});
    for (const StoreTime slot : slots) {
      if (slot == slots.back() && !all) continue;
      h.see(WorkLanded{kN1,
                       {kResource, {kBilling, slot, 9}, token(1), true},
                       DeliveryOutcome::begun,
                       store_at(seconds(50))});
    }
    heal_at_60(h);
    h.finishes();
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), all ? 0u : 1u);
    EXPECT_EQ(h.checker("no-lost-fire").opportunities(), 9u);
    EXPECT_EQ(h.checker("no-drift").violation_count(), 0u);
    EXPECT_EQ(h.checker("never-early").violation_count(), 0u);
    EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  }
}

// Jitter of up to 10s: the slot of 60s is due after the heal.
TEST(NoLostFire, owes_what_was_due_and_not_what_only_had_its_slot) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition.jitter = {.max = seconds(10), .seed = 1};
  const Slots slots{scenario.schedules.front().definition};
  ASSERT_GT(slots.due(kBilling, store_at(seconds(60))), store_at(seconds(61)));
  ASSERT_LE(slots.due(kBilling, store_at(seconds(50))), store_at(seconds(60)));
  for (const int to : {60, 50}) {
    History h{scenario};
    for (int slot = 0; slot < to; slot += 10) {
      LedgerRow row = History::fired_row(seconds(slot));
      row.due = slots.due(kBilling, row.slot);
      h.at(row.due - store_at({}));
      h.covers(kN1, token(1), row);
      h.work_is_done(kN1, seconds(slot), token(1));
    }
    h.at(seconds(60));
    h.heals();
    h.finishes();
    EXPECT_EQ(h.checker("no-lost-fire").violation_count(), to == 60 ? 0u : 1u);
    EXPECT_EQ(h.checker("no-lost-fire").opportunities(), 6u);
    for (const char* name : {"no-drift", "never-early"})
      EXPECT_EQ(h.checker(name).violation_count(), 0u) << name;
  }
}

TEST(NoLostFire, wants_work_where_there_is_no_ledger) {
  History h{table_scenario()};
  for (const int slot : {0, 10, 30, 60}) h.work_is_done(kN1, seconds(slot));
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 2u);
  EXPECT_EQ(h.first_message("no-lost-fire"), "billing 2026-01-01T00:00:20Z was never executed");
  EXPECT_EQ(
      h.checker("no-lost-fire").violations().rbegin()->message,
      "billing 2026-01-01T00:00:40Z and the slots up to 2026-01-01T00:00:50Z (2 in all) were never executed");
}

TEST(NoLostFire, owes_nothing_where_late_slots_are_given_up_without_a_ledger) {
  Scenario scenario = table_scenario();
  scenario.schedules.front().definition = every(seconds(10), Misfire::Policy::skip);
  History h{scenario};
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").opportunities(), 0u);
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
}

TEST(NoLostFire, says_nothing_of_a_run_without_an_end_of_the_fault_phase) {
  History h{reference_scenario()};
  h.finishes();
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 0u);
  EXPECT_EQ(h.checker("caught-up").opportunities(), 0u);
}

}  // namespace
}  // namespace tenure::sim::no_lost_fire_tests
