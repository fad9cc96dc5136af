// The checkers' constructors, one a file; registry.cc gives them their names.
//
// not_applicable says why a checker has nothing to look at in a scenario; nullptr when it has.
//
// Thread rule: pure functions.
#pragma once

#include <memory>

#include "sim/checkers/checker.h"

namespace tenure::sim {

#define TENURE_CHECKER(name)                                \
  namespace name {                                          \
  const char* not_applicable(const Scenario& scenario);     \
  std::unique_ptr<Checker> make(const CheckerSetup& setup); \
  }

TENURE_CHECKER(one_holder_per_epoch)
TENURE_CHECKER(epochs_increase)
TENURE_CHECKER(fenced_writes)
TENURE_CHECKER(acts_within_belief)
TENURE_CHECKER(one_believer)
TENURE_CHECKER(one_worker)
TENURE_CHECKER(no_duplicate_fire)
TENURE_CHECKER(no_lost_fire)
TENURE_CHECKER(no_drift)
TENURE_CHECKER(never_early)
TENURE_CHECKER(versions_take_turns)
TENURE_CHECKER(work_within_limit)
TENURE_CHECKER(no_stuck_leader)
TENURE_CHECKER(leader_elected)
TENURE_CHECKER(caught_up)

#undef TENURE_CHECKER

// What several of them ask of a scenario.
const char* lacks_tokens(const Scenario& scenario);
const char* lacks_fires(const Scenario& scenario);  // no scheduler, or nothing to schedule
bool keeps_ledger(const Scenario& scenario);        // the scheduler writes down what became of each slot

}  // namespace tenure::sim
