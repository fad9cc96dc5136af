// What checkers say of fires: ledger rows and work. What is lost has a file of its own.
#include <gtest/gtest.h>

#include <functional>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
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

// ---- no-duplicate-fire ----

TEST(NoDuplicateFire, says_who_and_when_of_both) {
  History h{reference_scenario()};
  h.at(seconds(15));
  h.work_is_done(kN2, seconds(10), token(1));
  h.at(millis(76'201));
  h.work_is_done(kN1, seconds(10), token(1));
  EXPECT_EQ(h.first_message("no-duplicate-fire"),
            "billing 2026-01-01T00:00:10Z was executed twice: n2 at 15.000s, n1 at 1m16.201s");
}

TEST(NoDuplicateFire, takes_no_notice_of_what_the_outside_world_refused) {
  History h{reference_scenario()};
  h.lands(kN1, seconds(10), token(1));
  h.lands(kN1, seconds(10), token(1), DeliveryOutcome::duplicate);
  h.lands(kN1, seconds(10), token(1), DeliveryOutcome::fenced);
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  EXPECT_EQ(h.checker("no-duplicate-fire").opportunities(), 1u);
}

TEST(NoDuplicateFire, finds_one_after_many_fires_and_out_of_order) {
  History h{reference_scenario()};
  for (int slot : {0, 20, 10, 50, 40, 30}) h.work_is_done(kN1, seconds(slot), token(1));
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  for (int slot : {0, 10, 20, 30, 40, 50}) h.work_is_done(kN1, seconds(slot), token(1));
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 6u);
}

TEST(NoDuplicateFire, finds_a_range_row_over_a_slot_that_fired) {
  History h{with_policy(Misfire::Policy::skip)};
  fire_all(h, 0, 30);
  h.covers(kN1, token(1), range_row(seconds(21), seconds(29), Disposition::missed));  // no slot in it
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  h.covers(kN1, token(1), range_row(seconds(5), seconds(15), Disposition::missed));
  EXPECT_EQ(h.first_message("no-duplicate-fire"),
            "billing 2026-01-01T00:00:10Z is covered twice in the ledger: again by n1 at 20.200s");
}

TEST(NoDuplicateFire, looks_at_all_that_a_row_covers_again) {
  History h{with_policy(Misfire::Policy::skip)};
  h.at(seconds(30));
  h.covers(kN1, token(1), range_row(seconds(1), seconds(2), Disposition::missed));
  h.covers(kN1, token(1), range_row(seconds(9), seconds(11), Disposition::missed));
  h.covers(kN1, token(1), range_row(seconds(1), seconds(12), Disposition::missed));
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 1u);
}

TEST(NoDuplicateFire, tells_manual_runs_apart_by_their_number) {
  History h{reference_scenario()};
  const auto lands = [&h](std::uint64_t run) {
    h.see(WorkLanded{kN1,
                     {kResource, {kBilling, store_at({}), run}, token(1), true},
                     DeliveryOutcome::begun,
                     store_at({})});
  };
  lands(1);
  lands(2);
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  lands(1);
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 1u);
}

// ---- no-drift, never-early ----

TEST(NoDrift, knows_the_version_in_force) {
  History h{reference_scenario()};
  h.at(seconds(35));
  h.puts(kBilling, 2, every(seconds(7)));
  h.at(seconds(43));
  h.work_is_done(kN1, seconds(42), token(1));
  h.work_is_done(kN1, seconds(30), token(1));  // late, but a slot of version 1 in its time
  EXPECT_EQ(h.checker("no-drift").violation_count(), 0u);
  h.work_is_done(kN1, seconds(40), token(1));
  EXPECT_EQ(h.first_message("no-drift"),
            "n1 executed billing 2026-01-01T00:00:40Z at 43.000s, which is no slot of the version in force");
}

TEST(NoDrift, finds_a_row_off_the_grid_or_of_no_version) {
  History h{reference_scenario()};
  h.at(seconds(30));
  LedgerRow row = History::fired_row(seconds(10));
  row.slot += Duration::micros(1);
  h.covers(kN1, token(1), row);
  EXPECT_EQ(h.checker("no-drift").violation_count(), 1u);
  h.covers(kN1, token(1), History::fired_row(seconds(20), 5));
  EXPECT_EQ(h.checker("no-drift").violation_count(), 2u);
  EXPECT_EQ(h.checker("no-drift").opportunities(), 2u);
}

TEST(NoDrift, finds_a_row_beyond_the_end_of_its_version) {
  History h{reference_scenario()};
  h.at(seconds(35));
  h.puts(kBilling, 2, every(seconds(10)));
  h.at(seconds(40));
  h.covers(kN1, token(1), History::fired_row(seconds(40), 1));
  EXPECT_EQ(h.checker("no-drift").violation_count(), 1u);
}

TEST(NoDrift, lets_nothing_fire_while_paused) {
  History h{with_policy(Misfire::Policy::fire_all, true)};
  h.at(seconds(10));
  h.covers(kN1, token(1), History::fired_row(seconds(10)));
  EXPECT_EQ(h.first_message("no-drift"),
            "n1 committed billing 2026-01-01T00:00:10Z at 10.000s, while the schedule was paused");
}

TEST(NeverEarly, judges_a_row_by_the_store_time_of_its_own_commit) {
  History h{reference_scenario()};
  h.at(seconds(10));
  h.view.store_ahead = -Duration::micros(1);
  h.covers(kN1, token(1), History::fired_row(seconds(10)));
  EXPECT_EQ(h.first_message("never-early"),
            "billing 2026-01-01T00:00:10Z was committed by n1 at 10.000s, 1us early");
  h.covers(kN1, token(1), range_row(seconds(5), seconds(10), Disposition::missed));
  EXPECT_EQ(h.checker("never-early").violation_count(), 1u);
  h.covers(kN1, token(1), range_row(seconds(5), seconds(10) + Duration::micros(1), Disposition::missed));
  EXPECT_EQ(h.checker("never-early").violation_count(), 2u);
}

TEST(NeverEarly, does_not_call_work_early_that_was_due_before_the_clock_went_back) {
  History h{reference_scenario()};
  h.at(seconds(10));
  h.covers(kN1, token(1), History::fired_row(seconds(10)));
  h.view.store_ahead = seconds(-5);
  h.work_is_done(kN1, seconds(10), token(1));
  EXPECT_EQ(h.checker("never-early").violation_count(), 0u);
  h.work_is_done(kN1, seconds(20), token(1));
  EXPECT_EQ(h.checker("never-early").violation_count(), 1u);
}

// ---- one-worker ----

TEST(OneWorker, does_not_call_it_an_overlap_when_one_ends_as_the_other_begins) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.lands(kN1, seconds(0), token(1));
  h.at(seconds(2));
  h.lands(kN2, seconds(10), token(1));
  h.work_ends(kN1, seconds(0));
  h.at(seconds(3));
  h.work_ends(kN2, seconds(10));
  h.finishes();
  EXPECT_EQ(h.checker("one-worker").violation_count(), 0u);
  EXPECT_EQ(h.metrics().work_overlap, Duration{});
}

TEST(OneWorker, takes_work_without_length_for_none) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.lands(kN1, seconds(0), token(1));
  h.at(seconds(2));
  h.work_is_done(kN2, seconds(10), token(1));
  h.at(seconds(3));
  h.work_ends(kN1, seconds(0));
  h.finishes();
  EXPECT_EQ(h.checker("one-worker").violation_count(), 0u);
  EXPECT_EQ(h.sometimes("work-overlap"), 0u);
  Scenario instant = reference_scenario();
  instant.work.duration = Quantiles::constant(Duration{});
  EXPECT_STREQ(find_checker_kind("one-worker")->not_applicable(instant), "the scenario's work takes no time");
}

TEST(OneWorker, reports_an_overlap_once_however_much_work_is_in_it) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.lands(kN1, seconds(0), token(1));
  h.lands(kN1, seconds(10), token(1));
  h.at(seconds(2));
  h.lands(kN2, seconds(20), token(1));
  h.lands(kN2, seconds(30), token(1));
  h.at(seconds(5));
  for (const int slot : {0, 10}) h.work_ends(kN1, seconds(slot));
  for (const int slot : {20, 30}) h.work_ends(kN2, seconds(slot));
  h.finishes();
  EXPECT_EQ(h.checker("one-worker").violation_count(), 1u);
  EXPECT_EQ(h.first_message("one-worker"),
            "n2 began billing 2026-01-01T00:00:20Z at 2.000s, while n1 was working, since 1.000s on billing "
            "2026-01-01T00:00:00Z");
  EXPECT_EQ(h.metrics().work_overlap, seconds(3));
}

TEST(OneWorker, sees_an_overlap_that_lasts_to_the_end_of_the_run) {
  History h{reference_scenario()};
  h.at(seconds(119));
  h.lands(kN1, seconds(0), token(1));
  h.lands(kN2, seconds(10), token(1));
  h.finishes();
  EXPECT_EQ(h.checker("one-worker").violation_count(), 1u);
}

// ---- caught-up ----

TEST(CaughtUp, lets_the_last_moments_of_the_tail_be_on_their_way) {
  History h{reference_scenario()};
  fire_all(h, 0, 110);
  heal_at_60(h);
  h.finishes();  // 110s and 120s are not handled: 110s is exactly kLateness before the end
  EXPECT_EQ(h.first_message("caught-up"),
            "billing 2026-01-01T00:01:50Z was due and has not been handled: handled up to "
            "2026-01-01T00:01:40Z only");

  History good{reference_scenario()};
  fire_all(good, 0, 120);
  heal_at_60(good);
  good.finishes();
  EXPECT_EQ(good.checker("caught-up").violation_count(), 0u);
  EXPECT_EQ(good.checker("caught-up").opportunities(), 1u);
}

TEST(CaughtUp, wants_what_was_owed_by_the_heal_however_short_the_tail) {
  for (const int heal : {113, 115}) {
    Scenario scenario = reference_scenario();
    scenario.schedules.front().definition = every(seconds(5));
    History h{scenario};
    for (int slot = 0; slot < 115; slot += 5) h.fires(kN1, token(1), seconds(slot));
    h.at(seconds(heal));
    h.heals();
    h.finishes();
    EXPECT_EQ(h.checker("caught-up").violation_count(), heal == 115 ? 1u : 0u);  // of the slot of 115s
  }
}

// Half of the time that all workers had went into runs that clients ask for.
TEST(CaughtUp, wants_fires_to_get_their_turn) {
  for (const int others : {13, 14}) {
    Scenario scenario = reference_scenario();
    scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
    History h{scenario};
    fire_all(h, 0, 60);
    heal_at_60(h);
    for (int i = 0; i < others; ++i) {
      WorkItem run = History::delivery(kBilling, seconds(i), token(1));
      run.destination.clear();
      run.event.run = 1;
      h.at(seconds(62 + i * 4));
      h.see(WorkAsked{kN1, run});
      h.see(WorkLanded{kN1, run, DeliveryOutcome::begun, h.view.store_now(StoreId{})});
      h.at(seconds(65 + i * 4));
      h.see(WorkEnded{kN1, run, Ending::done});
    }
    h.finishes();
    EXPECT_EQ(h.checker("caught-up").violation_count(), others == 14 ? 1u : 0u);
  }
}

TEST(CaughtUp, leaves_gaps_to_no_lost_fire) {
  History h{reference_scenario()};
  fire_all(h, 0, 20);
  fire_all(h, 40, 120);
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("caught-up").violation_count(), 0u);
  EXPECT_EQ(h.checker("no-lost-fire").violation_count(), 1u);
}

// What excuses it has to have been there when it began, and until the end.
TEST(CaughtUp, says_since_when_it_is_behind) {
  History h{reference_scenario()};
  fire_all(h, 0, 40);
  heal_at_60(h);
  h.finishes();
  ASSERT_EQ(h.checker("caught-up").violation_count(), 1u);
  const Violation& violation = *h.checker("caught-up").violations().begin();
  EXPECT_TRUE(violation.lasted);
  EXPECT_EQ(violation.since, at_seconds(50)) << "40s came due, and may be ten seconds late";
}

TEST(CaughtUp, wants_the_outbox_drained) {
  History h{reference_scenario()};
  fire_all(h, 0, 60);
  heal_at_60(h);
  fire_all(h, 60, 110);
  h.at(seconds(110));
  h.covers(kN1, token(1), History::fired_row(seconds(110)));
  h.finishes();
  EXPECT_EQ(h.first_message("caught-up"),
            "billing 2026-01-01T00:01:50Z, committed by n1 at 1m50.000s, is still on its way");
}

Request given_up(Duration slot) {
  return reference::Request{
      reference::GiveUpEvents{kResource, kN1, token(1), {{{kBilling, store_at(slot), 0}, 5}}}};
}

// The work of 30s fails at `failed`, and `at_once` and `then` happen; all else is done.
void fails_at_one(
    History& h, int failed, const std::function<void()>& then, const std::function<void()>& at_once = [] {}) {
  fire_all(h, 0, 30);
  h.at(seconds(30));
  h.covers(kN1, token(1), History::fired_row(seconds(30)));
  h.asks_for(kN1, seconds(30), token(1));
  h.lands(kN1, seconds(30), token(1));
  fire_all(h, 40, 50);
  h.at(seconds(failed));
  h.work_ends(kN1, seconds(30), Ending::failed, token(1));
  at_once();
  h.at(seconds(58));
  then();
  heal_at_60(h);
  fire_all(h, 50, 120);
  h.finishes();
}

// Within a minute; and the last ten seconds do not count.
TEST(CaughtUp, wants_work_that_failed_to_be_begun_again) {
  History late{reference_scenario()};
  fails_at_one(late, 50, [] {});
  EXPECT_EQ(late.first_message("caught-up"),
            "billing 2026-01-01T00:00:30Z has waited since 50.000s to be begun again; n1 asked for it last");
  History good{reference_scenario()};
  fails_at_one(good, 51, [] {});
  EXPECT_EQ(good.first_message("caught-up"), "");
}

TEST(CaughtUp, wants_work_that_failed_before_its_process_died_to_be_begun_again) {
  History early{reference_scenario()};
  fails_at_one(
      early, 45, [] {},
      [&early] {
        early.see(NodeDied{kN1, Death::killed});
      });
  EXPECT_EQ(early.first_message("caught-up"),
            "billing 2026-01-01T00:00:30Z has waited since 45.000s to be begun again; n1 asked for it last");
  History h{reference_scenario()};
  fails_at_one(h, 45, [&h] { h.see(NodeDied{kN1, Death::killed}); });
  EXPECT_EQ(h.first_message("caught-up"), "") << "not within a minute of the death";
  History asked{reference_scenario()};
  fails_at_one(asked, 45, [&asked] {
    asked.at(seconds(46));
    asked.asks_for(kN1, seconds(30), token(1));  // and does not get there
    asked.at(seconds(49));
    asked.see(NodeDied{kN1, Death::killed});
  });
  EXPECT_EQ(asked.first_message("caught-up"),
            "billing 2026-01-01T00:00:30Z has waited since 49.000s to be begun again; n1 asked for it last");
}

// What was asked for before the replica stood still is in its outbox.
TEST(CaughtUp, wants_work_that_failed_before_the_store_failed_over_to_be_begun_again) {
  for (const bool survives : {true, false}) {
    History h{reference_scenario()};
    h.see(survives ? Record{StoreClockStepped{}} : Record{StoreReplicaStalled{StoreId{}}});
    fails_at_one(
        h, 40, [] {},
        [&] {
          if (survives) h.see(StoreReplicaStalled{StoreId{}});
          h.at(seconds(45));
          h.see(StoreFailedOver{StoreId{}, 0});
        });
    EXPECT_EQ(
        h.first_message("caught-up"),
        survives
            ? "billing 2026-01-01T00:00:30Z has waited since 45.000s to be begun again; n1 asked for it last"
            : "");
  }
}

// However it ended there: who was told that it runs does not know.
TEST(CaughtUp, wants_work_that_ran_at_another_instance_to_be_asked_for_again) {
  for (const Ending ending : {Ending::failed, Ending::done, Ending::died}) {
    for (const bool asks_again : {false, true}) {
      History h{reference_scenario()};
      fire_all(h, 0, 30);
      h.at(seconds(30));
      h.covers(kN1, token(1), History::fired_row(seconds(30)));
      h.asks_for(kN1, seconds(30), token(1));
      h.lands(kN1, seconds(30), token(1));
      h.at(seconds(40));
      h.asks_for(kN2, seconds(30), token(2));
      h.lands(kN2, seconds(30), token(2), DeliveryOutcome::running);
      h.at(seconds(49));
      h.work_ends(kN1, seconds(30), ending, token(1));
      if (asks_again) h.asks_for(kN2, seconds(30), token(2));
      fire_all(h, 40, 60);
      heal_at_60(h);
      fire_all(h, 60, 120);
      h.finishes();
      EXPECT_EQ(h.first_message("caught-up"), asks_again ? ""
                                                         : "billing 2026-01-01T00:00:30Z has waited since "
                                                           "49.000s to be begun again; n2 asked for it last")
          << static_cast<int>(ending);
    }
  }
}

// The one worker is busy with others most of the time: each piece that waits may be passed over for so long.
TEST(CaughtUp, wants_work_that_failed_to_get_its_turn) {
  for (const int others : {6, 7}) {
    Scenario scenario = reference_scenario();
    scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
    History h{scenario};
    fire_all(h, 0, 120);
    h.at(seconds(5));
    h.heals();
    h.asks_for(kN1, {}, token(1));
    h.lands(kN1, {}, token(1));
    h.work_ends(kN1, {}, Ending::failed, token(1));
    for (int i = 1; i <= others; ++i) {
      h.at(seconds(70 + i * 7));  // it is due a minute after it failed
      h.asks_for(kN1, seconds(i * 10), token(1));
      h.at(seconds(76 + i * 7));
      h.work_ends(kN1, seconds(i * 10), Ending::done, token(1));
    }
    h.finishes();
    EXPECT_EQ(h.checker("caught-up").violation_count(), others == 7 ? 1u : 0u)
        << h.first_message("caught-up");
  }
}

TEST(CaughtUp, leaves_out_work_that_failed_and_is_owed_no_more) {
  const auto after = [](const std::function<void(History&)>& then) {
    History h{reference_scenario()};
    fails_at_one(h, 49, [&] { then(h); });
    return h.first_message("caught-up");
  };
  EXPECT_NE(after([](History&) {}), "");
  EXPECT_EQ(after([](History& h) { h.asks_for(kN2, seconds(30), token(2)); }), "");
  EXPECT_EQ(after([](History& h) { h.see(NodeDied{kN1, Death::killed}); }), "") << "who leads next begins it";
  EXPECT_EQ(after([](History& h) {
              h.applies(kN1, given_up(seconds(30)), reference::Reply{reference::GivenUp{}});
            }),
            "");
  EXPECT_NE(after([](History& h) {
              const reference::CommitRefused refused{reference::Denial::other_holder, false};
              h.applies(kN1, given_up(seconds(30)), reference::Reply{refused});
            }),
            "");
}

TEST(CaughtUp, gives_a_paused_schedule_the_time_of_a_step) {
  for (const int covered_to : {101, 99}) {
    History h{with_policy(Misfire::Policy::fire_all, true)};
    heal_at_60(h);
    h.at(seconds(110));
    h.covers(kN1, token(1), range_row({}, seconds(covered_to), Disposition::paused));
    h.finishes();
    EXPECT_EQ(h.checker("caught-up").violation_count(), covered_to == 101 ? 0u : 1u);
  }
}

TEST(CaughtUp, looks_at_work_where_there_is_no_ledger) {
  History h{table_scenario()};
  for (int slot = 0; slot < 100; slot += 10) h.work_is_done(kN1, seconds(slot));
  heal_at_60(h);
  h.finishes();
  EXPECT_EQ(h.checker("caught-up").violation_count(), 1u);
}

// ---- where they do not apply ----

TEST(FireCheckers, do_not_apply_without_fires) {
  Scenario empty = reference_scenario();
  empty.schedules.clear();
  for (const char* name :
       {"acts-within-belief", "one-worker", "no-duplicate-fire", "no-lost-fire", "no-drift", "never-early",
        "versions-take-turns", "work-within-limit", "caught-up"}) {
    EXPECT_STREQ(find_checker_kind(name)->not_applicable(election_scenario()),
                 "the scenario has no scheduler");
    EXPECT_STREQ(find_checker_kind(name)->not_applicable(empty), "the scenario has no schedules");
  }
  ChangeSetting create;
  create.action = ChangeAction::create;
  empty.changes.push_back(create);
  EXPECT_EQ(find_checker_kind("no-lost-fire")->not_applicable(empty), nullptr);
}

}  // namespace
}  // namespace tenure::sim
