// Runs a scenario once, with the fast checkers watching and everything written down, and compares what they say with
// what the second judge finds in the whole history.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/scenario/scenario.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

struct Run {
  const sim::Scenario& scenario;
  const sim::View& view;
};

// One that watches beside the others.
struct Watcher {
  const sim::CheckerKind* kind = nullptr;
  std::unique_ptr<sim::Checker> checker;
};
// `history` is what the run's observers share; it is shown each record before them.
std::vector<Watcher> watchers_for(const Run& run, const sim::RunHistory& history);

// Simulates the scenario, with what `watch` adds to its observers, and returns its history. `finish` is called when it
// is over, with the view still there.
History simulate(const sim::Scenario& scenario, std::uint64_t seed,
                 const std::function<std::vector<sim::Observer*>(const Run&)>& watch,
                 const std::function<void(sim::TrueTime)>& finish);

// Where the two differ, in words, one a line; empty when they agree. `judged_as`: what both are told that was run.
std::string differences(const sim::Scenario& scenario, std::uint64_t seed, const sim::Scenario& judged_as);
// Of one checker that has finished, and the history that it saw.
std::string difference(const Watcher& watcher, const Case& run);

// When a slot came due is worked out from what the store's clock showed before and after, to whole microseconds.
bool same_moment(sim::TrueTime a, sim::TrueTime b);

// How often each invariant was judged, and was broken, since the program began.
struct Tally {
  std::uint64_t judged = 0;
  std::uint64_t broken = 0;
};
const std::map<std::string, Tally>& tally();

}  // namespace tenure::judging
