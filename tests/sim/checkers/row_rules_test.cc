// no-lost-fire: what a ledger row may say of the slots in it.
#include <gtest/gtest.h>

#include "sim/checkers/oracle/slots.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

using reference::Disposition;
using reference::LedgerRow;

// billing every 10s, with a grace of 5s, as the test wants it; n1 leads all the time.
struct Ledger {
  explicit Ledger(const Definition& definition) : history(with(definition)) {
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
  }
  static Scenario with(const Definition& definition) {
    Scenario scenario = reference_scenario();
    scenario.schedules.front().definition = definition;
    return scenario;
  }
  // The store takes the row at that time.
  void writes(int at_second, const LedgerRow& row) {
    history.at(seconds(at_second));
    history.covers(kN1, token(1), row);
  }
  // What no-lost-fire says of it; no other checker says anything.
  std::string verdict() const {
    std::set<std::string> failing = history.failing();
    failing.erase("no-lost-fire");
    EXPECT_EQ(failing, std::set<std::string>{});
    return history.first_message("no-lost-fire");
  }
  History history;
};

Definition with_grace(Misfire::Policy policy) {
  Definition definition = every(seconds(10), policy);
  definition.misfire.grace = seconds(5);
  return definition;
}

LedgerRow missed(int from, int to) {
  return History::range_row(seconds(from), seconds(to), Disposition::missed);
}
LedgerRow overlapped(int from, int to) {
  return History::range_row(seconds(from), seconds(to), Disposition::overlapped);
}
// One fire, at `slot`, for all slots in [from, last].
LedgerRow coalesced(int from, int last, int slot) {
  LedgerRow row = History::fired_row(seconds(slot));
  row.from = store_at(seconds(from));
  row.to = store_at(seconds(last)) + Duration::micros(1);
  row.slots = (last - from) / 10 + 1;
  return row;
}

TEST(MissedRow, is_of_slots_that_were_late) {
  for (const int at :
       {37, 33}) {  // the slot of 30s is late from 35s on, and a leader's clock may be a second ahead
    Ledger ledger{with_grace(Misfire::Policy::skip)};
    ledger.writes(at, missed(10, 31));
    EXPECT_EQ(ledger.verdict(), at == 37
                                    ? ""
                                    : "billing 2026-01-01T00:00:30Z was recorded as missed by n1 at 33.000s, "
                                      "although it was not late");
  }
}

TEST(MissedRow, is_late_by_its_due_time_and_not_by_its_slot) {
  Definition definition = with_grace(Misfire::Policy::skip);
  definition.jitter = {.max = seconds(10), .seed = 0};
  const auto due = [&definition] { return Slots{definition}.due(kBilling, store_at(seconds(30))); };
  while (due() < store_at(seconds(37))) ++definition.jitter.seed;  // and so not late at 41s
  Ledger early{definition};
  early.writes(41, missed(10, 31));
  EXPECT_EQ(early.verdict(),
            "billing 2026-01-01T00:00:30Z was recorded as missed by n1 at 41.000s, although it was not late");
  Ledger late{definition};
  late.writes(46, missed(10, 31));
  EXPECT_EQ(late.verdict(), "");
}

TEST(MissedRow, is_judged_by_the_clock_that_a_leader_may_still_believe) {
  for (const bool stepped : {true, false}) {
    Ledger ledger{with_grace(Misfire::Policy::skip)};
    ledger.history.at(seconds(37));
    ledger.history.view.store_ahead = seconds(-4);
    if (stepped) ledger.history.see(StoreClockStepped{StoreId{}, seconds(-4)});
    ledger.writes(37, missed(10, 31));
    EXPECT_EQ(ledger.verdict().empty(), stepped);
  }
}

TEST(MissedRow, is_for_a_definition_that_gives_slots_up) {
  Ledger ledger{with_grace(Misfire::Policy::fire_once)};
  ledger.writes(100, missed(10, 31));
  EXPECT_EQ(ledger.verdict(),
            "billing 2026-01-01T00:00:30Z was recorded as missed by n1 at 1m40.000s, which its definition "
            "does not allow");
  Definition paused = with_grace(Misfire::Policy::skip);
  paused.paused = true;
  Ledger asleep{paused};
  asleep.writes(100, missed(10, 31));
  EXPECT_NE(asleep.verdict(), "");
}

TEST(MissedRow, leaves_as_many_late_slots_as_are_to_be_caught_up_with) {
  Definition definition = with_grace(Misfire::Policy::fire_all);
  definition.misfire.max_catchup = 3;
  for (const int to : {61, 71}) {  // late at 97s: the slots up to 90s
    Ledger ledger{definition};
    ledger.writes(97, missed(10, to));
    EXPECT_EQ(ledger.verdict(),
              to == 61 ? ""
                       : "billing 2026-01-01T00:01:10Z was recorded as missed by n1 at 1m37.000s, "
                         "which its definition does not allow");
  }
  definition.misfire.policy = Misfire::Policy::fire_once;  // knows no such limit
  Ledger once{definition};
  once.writes(97, missed(10, 61));
  EXPECT_NE(once.verdict(), "");
}

TEST(MissedRow, may_be_of_slots_outside_the_window) {
  for (const Misfire::Policy policy : {Misfire::Policy::fire_all, Misfire::Policy::fire_once}) {
    Definition definition = with_grace(policy);
    definition.misfire.catchup_window = seconds(30);
    for (const int to : {61, 71}) {
      Ledger ledger{definition};
      ledger.writes(97, missed(10, to));
      EXPECT_EQ(ledger.verdict().empty(), to == 61);
    }
  }
}

TEST(CoalescingRow, is_for_fire_once_only_and_fires_the_slot_that_it_should) {
  const struct {
    Misfire::Policy policy;
    Misfire::Which once;
    int slot;
    const char* why;
  } cases[] = {
      {Misfire::Policy::fire_once, Misfire::Which::latest, 40, ""},
      {Misfire::Policy::fire_once, Misfire::Which::earliest, 10, ""},
      {Misfire::Policy::fire_once, Misfire::Which::latest, 10,
       "billing 2026-01-01T00:00:40Z was coalesced by n1 at 47.000s, although it should have fired, and not "
       "2026-01-01T00:00:10Z"},
      {Misfire::Policy::fire_once, Misfire::Which::earliest, 40,
       "billing 2026-01-01T00:00:10Z was coalesced by n1 at 47.000s, although it should have fired, and not "
       "2026-01-01T00:00:40Z"},
      {Misfire::Policy::fire_all, Misfire::Which::latest, 40,
       "billing 2026-01-01T00:00:10Z was coalesced by n1 at 47.000s, which its definition does not allow"},
      {Misfire::Policy::skip, Misfire::Which::latest, 40,
       "billing 2026-01-01T00:00:10Z was coalesced by n1 at 47.000s, which its definition does not allow"},
  };
  for (const auto& c : cases) {
    Definition definition = with_grace(c.policy);
    definition.misfire.once = c.once;
    Ledger ledger{definition};
    ledger.writes(47, coalesced(10, 40, c.slot));
    EXPECT_EQ(ledger.verdict(), c.why);
  }
}

TEST(CoalescingRow, is_of_late_slots_only) {
  Ledger ledger{with_grace(Misfire::Policy::fire_once)};
  ledger.writes(42, coalesced(10, 40, 40));
  EXPECT_EQ(ledger.verdict(),
            "billing 2026-01-01T00:00:40Z was coalesced by n1 at 42.000s, although it was not late");
}

TEST(CoalescingRow, accounts_for_all_of_its_slots) {
  Ledger ledger{with_grace(Misfire::Policy::fire_once)};
  ledger.writes(67, coalesced(0, 60, 60));
  ledger.history.work_is_done(kN1, seconds(60), token(1));
  ledger.history.heals();
  EXPECT_EQ(ledger.history.metrics().skipped_slots, 6u);
  ledger.history.finishes();
  EXPECT_EQ(ledger.history.checker("no-lost-fire").violation_count(), 0u);
}

TEST(Row, says_how_many_slots_it_is_of) {
  for (const int wrong : {-1, 1}) {
    LedgerRow once = coalesced(10, 40, 40);
    once.slots += wrong;
    Ledger fired{with_grace(Misfire::Policy::fire_once)};
    fired.writes(47, once);
    EXPECT_EQ(fired.verdict(),
              "billing 2026-01-01T00:00:10Z was coalesced by n1 at 47.000s, in a row that says it is of " +
                  std::to_string(4 + wrong) + " slots, and there are 4");
    LedgerRow range = missed(10, 31);
    range.slots += wrong;
    Ledger skipped{with_grace(Misfire::Policy::skip)};
    skipped.writes(47, range);
    EXPECT_NE(skipped.verdict(), "");
  }
  LedgerRow nothing = missed(11, 19);
  nothing.slots = 1;
  Ledger ledger{with_grace(Misfire::Policy::skip)};
  ledger.writes(47, nothing);
  EXPECT_NE(ledger.verdict(), "");
}

// ---- overlap ----

Definition minding(Overlap overlap) {
  Definition definition = every(seconds(10));
  definition.overlap = overlap;
  return definition;
}

TEST(OverlappedRow, is_of_slots_that_were_due_while_work_ran) {
  for (const Overlap overlap : {Overlap::allow, Overlap::skip}) {
    Ledger ledger{minding(overlap)};
    ledger.writes(0, History::fired_row({}));
    ledger.history.asks_for(kN1, {}, token(1));
    ledger.history.lands(kN1, {}, token(1));
    ledger.writes(25, overlapped(10, 21));
    EXPECT_EQ(ledger.verdict(),
              overlap != Overlap::allow
                  ? ""
                  : "billing 2026-01-01T00:00:10Z was recorded as overlapped by n1 at 25.000s, which "
                    "its definition does not allow");
  }
}

// Under queue_one the first slot that meets work waits for it; others are given up beside it.
TEST(OverlappedRow, follows_the_slot_that_was_queued) {
  for (const int first :
       {10, 20, 30}) {  // of the overlapped row, which is all that follows the fires before it
    Ledger ledger{minding(Overlap::queue_one)};
    ledger.writes(0, History::fired_row({}));
    ledger.history.asks_for(kN1, {}, token(1));
    ledger.history.lands(kN1, {}, token(1));
    ledger.history.at(seconds(24));
    ledger.history.work_ends(kN1, {});
    if (first > 10) ledger.writes(25, History::fired_row(seconds(10)));  // had waited since 10s
    ledger.writes(35, overlapped(first, first + 1));
    EXPECT_EQ(ledger.verdict(),
              first == 20
                  ? ""
                  : "billing 2026-01-01T00:00:" + std::to_string(first) +
                        "Z was recorded as overlapped by n1 at 35.000s, although no slot before it was "
                        "waiting for the work to end")
        << first;
  }
}

TEST(OverlappedRow, needs_work_of_the_schedule_after_the_slot_was_due) {
  const auto acknowledges = [](History& h) {
    h.submits(kN1, reference::Request{reference::AckEvents{kResource, {{kBilling, store_at({}), 0}}}}, false);
  };
  // At 19s a leader whose reading of the store's clock is a second ahead, as it may be, sees the slot due.
  for (const int ended : {9, 18, 19}) {
    Ledger ledger{minding(Overlap::skip)};
    ledger.writes(0, History::fired_row({}));
    ledger.history.asks_for(kN1, {}, token(1));
    ledger.history.lands(kN1, {}, token(1));
    ledger.history.at(seconds(ended));
    ledger.history.work_ends(kN1, {});
    acknowledges(ledger.history);
    ledger.writes(25, overlapped(10, 21));  // the slot of 20s, too
    EXPECT_EQ(ledger.verdict(),
              ended == 19 ? ""
                          : "billing 2026-01-01T00:00:20Z was recorded as overlapped by n1 at 25.000s, "
                            "although no work of it had been running since it was due");
  }
}

// What ended is in hand until its instance has heard of that.
TEST(OverlappedRow, may_follow_work_whose_end_is_not_known_yet) {
  for (const int slot : {60, 80}) {
    Ledger ledger{minding(Overlap::skip)};
    ledger.writes(0, History::fired_row({}));
    ledger.history.asks_for(kN1, {}, token(1));
    ledger.history.lands(kN1, {}, token(1));
    ledger.history.at(seconds(9));
    ledger.history.work_ends(kN1, {});
    ledger.writes(slot + 1, overlapped(slot, slot + 1));
    EXPECT_EQ(ledger.verdict().empty(), slot == 60);
  }
}

// It is tried again when a worker is free, however late that is; and who leads next has it from the outbox.
TEST(OverlappedRow, may_follow_work_that_failed_and_is_to_be_begun_again) {
  enum class Then { waits, done_by_another, acknowledged, store_fails_over };
  for (const Then then : {Then::waits, Then::done_by_another, Then::acknowledged, Then::store_fails_over}) {
    Ledger ledger{minding(Overlap::skip)};
    History& h = ledger.history;
    ledger.writes(0, History::fired_row({}));
    h.asks_for(kN1, {}, token(1));
    h.lands(kN1, {}, token(1));
    h.at(seconds(9));
    h.work_ends(kN1, {}, Ending::failed);
    const reference::AckEvents ack{kResource, {{kBilling, store_at({}), 0}}};
    if (then == Then::done_by_another) {
      h.asks_for(kN2, {}, token(2));
      h.work_ends(kN2, {});
    }
    if (then == Then::done_by_another || then == Then::acknowledged)
      h.submits(kN2, reference::Request{ack}, false);
    if (then == Then::store_fails_over) h.see(StoreFailedOver{StoreId{}, 2});
    ledger.writes(81, overlapped(80, 81));
    EXPECT_EQ(h.first_message("no-lost-fire").empty(), then == Then::waits) << static_cast<int>(then);
  }
}

// Whether the work of that fire is still to come, only its commit's answer tells (torture-schedules, seed 68).
TEST(OverlappedRow, does_not_follow_a_fire_of_the_same_commit) {
  Ledger ledger{minding(Overlap::queue_one)};
  ledger.history.at(seconds(25));
  const reference::Request request =
      reference::CommitFires{kResource, kN1, token(1), {History::fired_row({}), overlapped(10, 21)}};
  ledger.history.submits(kN1, request);
  ledger.history.applies(
      kN1, request,
      reference::Reply{reference::Committed{{reference::RowResult::covered, reference::RowResult::covered}}});
  EXPECT_NE(ledger.history.first_message("no-lost-fire"), "");
}

TEST(OverlappedRow, needs_work_that_somebody_has_in_hand) {
  Ledger dead{minding(Overlap::skip)};
  dead.writes(0, History::fired_row({}));
  dead.history.asks_for(kN1, {}, token(1));
  dead.history.lands(kN1, {}, token(1));
  dead.history.at(seconds(5));
  dead.history.see(NodeDied{kN1, Death::killed});
  dead.writes(15, overlapped(10, 11));
  EXPECT_NE(dead.history.first_message("no-lost-fire"), "");

  Ledger refused{minding(Overlap::skip)};
  refused.history.asks_for(kN1, {}, token(1));
  refused.history.lands(kN1, {}, token(1), DeliveryOutcome::duplicate);
  refused.writes(55, overlapped(50, 51));
  EXPECT_EQ(refused.verdict(), "");
  refused.writes(75, overlapped(70, 71));
  EXPECT_NE(refused.verdict(), "");
}

}  // namespace
}  // namespace tenure::sim
