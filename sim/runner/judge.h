// The judge: compares what the checkers found with what the scenario demands.
//
// A checker's violation fails the run if the scenario lists it, or if the protocol claims the invariant under
// assumptions that nothing which could have caused this violation breaks (claims.h); otherwise it is reported. Each
// violation is judged alone: an excused violation excuses no other. If a demanded checker had no opportunity, or left
// something unjudged, it is inconclusive, never a pass.
//
// The minimum. For every protocol, a reader of "pass" expects that somebody led, that no two nodes led at once, that
// nobody acted for a leader without being one, by its belief and its tokens, and that no fire was lost, doubled, early
// or at no slot. So if one of these is violated and nothing demands it, the run is inconclusive ("PASS, but two led for
// 13.557s"), unless [expect] says what to make of it:
//   1. one-believer: by `believer_overlap`, `always`, `sometimes` or a threshold that is about overlaps. Beliefs mean
//      nothing without acts-within-belief: an `always` that leaves that one out does not answer for it.
//   2. The other checkers: by `always`. leader-elected, caught-up: by `eventually`.
//   3. A canary says it for all of them. But a run in which nobody ever led is never a pass, unless the canary shows
//      just that.
//   4. Each fault of the file that is not `optional` has to strike, and to do what it says: in the run, or in one of a
//      batch's runs. One that met nothing, or that the heal cut short, has shown nothing.
// A hunt reports what it sees beyond the claims. It demands the minimum of violations that come before any fault has
// broken anything (Expectation::minimum).
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

// Whether a hunt is judged by it at least (Expectation::minimum), since neither the file nor any claim is about it.
bool is_unclaimed(std::string_view checker, const Scenario& scenario);

// "not judged: …" if the checker left something out; otherwise empty.
std::string what_is_not_judged(const Checker& checker);

// The result for something that must happen at least once.
CheckResult judge_sometimes(std::string_view name, std::uint64_t times);

// Whether the faults of the file did what they should, in one run or in several.
struct FaultTally {
  std::set<std::uint64_t> struck;                     // the faults' places in the file
  std::map<std::uint64_t, std::string> skipped = {};  // of those that did not strike: why
  std::map<std::uint64_t, std::string> fell_short = {};

  void add(const std::vector<FaultRun>& faults);  // of one more run
  void add(const FaultTally& runs);
  // An inconclusive result for each fault that never did what it should; nothing for the others.
  std::vector<CheckResult> judge(const Scenario& scenario) const;
  bool operator==(const FaultTally&) const = default;
};

// Thresholds and faults are judged over all runs together, everything else run by run.
bool is_judged_by_run(const CheckResult& check);

// Of a whole run: fail before inconclusive before pass. With `expect.fails`, that checker must have failed, and no
// other demanded one: the canary's verdict is reversed.
Verdict verdict_of(const std::vector<CheckResult>& checks, const Expectation& expect);

}  // namespace tenure::sim
