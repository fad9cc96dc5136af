// The judge: from what the checkers found to what the scenario demanded.
//
// A checker's violation fails the run if the scenario lists it, or if the protocol claims the invariant under
// assumptions that nothing which could have caused this violation breaks (claims.h); otherwise it is reported. Each
// violation is judged by itself: one that is excused excuses no other. A checker that is demanded and never had an
// opportunity to look, or that left something unjudged, is inconclusive, never a pass.
//
// The minimum. Whatever the protocol, who reads "pass" takes it that somebody led, that nobody led beside another, and
// that no fire was lost or doubled. So a violation of that which nothing demands makes a run inconclusive ("PASS, but
// two led for 13.557s"), unless [expect] says what to make of it:
//   1. one-believer: by `believer_overlap`, `always`, `sometimes` or a threshold that is about overlaps.
//   2. no-duplicate-fire, no-lost-fire: by `always`. leader-elected, caught-up: by `eventually`.
//   3. A canary says so of all of them. But where nobody ever led, nothing makes a run a pass, unless that is what the
//      canary shows.
//   4. Each fault of the file that is not `optional` has to strike: in the run, or in one of a batch's runs.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/metrics/measures.h"
#include "sim/runner/claims.h"
#include "sim/runner/result.h"

namespace tenure::sim {

CheckResult judge(const CheckerKind& kind, const Checker& checker, const Scenario& scenario,
                  const std::vector<Broken>& broken, const LedTracker* led, const Metrics& metrics);

// "not judged: …", of a checker that left something out; empty when it did not.
std::string what_is_not_judged(const Checker& checker);

// A thing that was to happen at least once, and how often it did.
CheckResult judge_sometimes(std::string_view name, std::uint64_t times);

// Of each fault of the file that was to strike and never did, an inconclusive result; none of the others.
class FaultTally {
 public:
  // What became of the faults in one more run.
  void add(const std::vector<FaultRun>& faults);
  std::vector<CheckResult> judge(const Scenario& scenario) const;

 private:
  std::set<std::uint64_t> struck_;                    // places in the file
  std::map<std::uint64_t, std::string> why_skipped_;  // the first reason of each
};

// Of a whole run: fail before inconclusive before pass. With `expect.fails`, that checker must have failed and nothing
// else demanded may have: the canary's verdict is turned round.
Verdict verdict_of(const std::vector<CheckResult>& checks, const Expectation& expect);

}  // namespace tenure::sim
