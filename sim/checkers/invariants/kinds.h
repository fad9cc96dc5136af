// The checkers: one file each, and one row here.
//
// not_applicable says why a checker has nothing to look at in a scenario; nullptr when it has.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/checkers/checker.h"

namespace tenure::sim {

// One row a checker: the namespace of its two functions, its name, what it holds, when, and what a
// violation costs.
// clang-format off
#define TENURE_CHECKERS(ROW) \
  ROW(design_error, "design-error", \
      "the program of a design that is brought does not fail", always, design_error) \
  ROW(one_holder_per_epoch, "one-holder-per-epoch", \
      "a term of leadership has one holder, in grants, beliefs, writes and work", always, stale_writes) \
  ROW(epochs_increase, "epochs-increase", \
      "each new term has a greater token than every one before", always, stale_writes) \
  ROW(fenced_writes, "fenced-writes", \
      "no write of a deposed leader is accepted", always, stale_writes) \
  ROW(no_stale_act, "no-stale-act", \
      "what a deposed leader did is not taken once its successor has acted, and a sitting one is not refused", \
      always, stale_writes) \
  ROW(acts_within_belief, "acts-within-belief", \
      "nobody acts as the leader outside its declared belief", always, other) \
  ROW(one_believer, "one-believer", \
      "no two incarnations believe at once that they lead", always, two_lead) \
  ROW(one_worker, "one-worker", \
      "no two incarnations work at once", always, two_lead) \
  ROW(no_duplicate_fire, "no-duplicate-fire", \
      "no fire is executed, or recorded, twice", always, double_fires) \
  ROW(no_lost_fire, "no-lost-fire", \
      "every slot that came due is accounted for", always, lost_fires) \
  ROW(no_drift, "no-drift", \
      "every fire is at a slot of the definition in force", always, early_fires) \
  ROW(never_early, "never-early", \
      "nothing fires before its slot, by the store's clock", always, early_fires) \
  ROW(versions_take_turns, "versions-take-turns", \
      "no commit holds rows of two versions of one schedule", always, other) \
  ROW(work_within_limit, "work-within-limit", \
      "no instance has more work running than `max_running`", always, other) \
  ROW(items_run_once, "items-run-once", \
      "no two workers run one item at once", always, double_fires) \
  ROW(no_stale_assignment, "no-stale-assignment", \
      "no assignment overwrites one that its leader had not seen", always, stale_writes) \
  ROW(begun_in_order, "begun-in-order", \
      "a leader begins the events of each schedule in the order of their commits", always, other) \
  ROW(dead_or_delivered, "dead-or-delivered", \
      "an event for a destination or a worker is over when it was delivered, or has failed often enough", \
      always, lost_fires) \
  ROW(destination_isolation, "destination-isolation", \
      "no destination delays another", always, other) \
  ROW(retry_after_honored, "retry-after-honored", \
      "no event is sent to its destination sooner than that has asked for", always, other) \
  ROW(one_live_attempt, "one-live-attempt", \
      "no event is handed to a worker while an attempt at it is live", always, double_fires) \
  ROW(topic_isolation, "topic-isolation", \
      "no worker is handed an event of another topic than it has asked for", always, other) \
  ROW(no_stale_completion, "no-stale-completion", \
      "what a worker says of an attempt counts until its event is handed out again, and not afterwards", \
      always, stale_writes) \
  ROW(leader_elected, "leader-elected", \
      "after the heal, somebody leads", eventually, nobody_at_end) \
  ROW(caught_up, "caught-up", \
      "after the heal, what is due gets done", eventually, behind_at_end) \
  ROW(items_placed, "items-placed", \
      "after the heal, each item is run by a worker", eventually, behind_at_end) \
  ROW(delivered, "delivered", \
      "after the heal, events for destinations and workers get delivered, or are dead", eventually, behind_at_end)
// clang-format on

#define TENURE_DECLARE(checker, name, summary, when, damage) \
  namespace checker {                                        \
  const char* not_applicable(const Scenario& scenario);      \
  std::unique_ptr<Checker> make(const CheckerSetup& setup);  \
  }
TENURE_CHECKERS(TENURE_DECLARE)
#undef TENURE_DECLARE

// What several of them ask of a scenario.
const char* lacks_tokens(const Scenario& scenario);
const char* lacks_fires(const Scenario& scenario);     // no scheduler, or nothing to schedule
const char* places_nothing(const Scenario& scenario);  // no items, and no workers
bool leaders_write(const Scenario& scenario);          // to the outside world, without a schedule
const char* lacks_destinations(const Scenario& scenario);
const char* lacks_workers(const Scenario& scenario);
const char* lacks_destinations_and_workers(const Scenario& scenario);
const char* lacks_ledger(const Scenario& scenario);    // no fires, or none that is written down
const char* lacks_own_work(const Scenario& scenario);  // no fires, or only such that others do the work of
bool keeps_ledger(const Scenario& scenario);           // the scheduler writes down what became of each slot
// How often failing work is begun, at most; 0: its scheduler has no bound.
std::uint32_t work_attempts_of(const Scenario& scenario);
// How long a scheduler may hold its fires on purpose after a jump of the clock; zero: it does not.
Duration clock_hold_of(const Scenario& scenario);

}  // namespace tenure::sim
