// The judge: from what the checkers found to what the scenario demanded.
//
// A checker's violation fails the run if the scenario lists it, or if the protocol claims the invariant under
// assumptions that nothing here breaks; otherwise it is reported. A checker that is demanded and never had an
// opportunity to look, or that left something unjudged, is inconclusive, never a pass.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/measures.h"
#include "sim/runner/claims.h"
#include "sim/runner/result.h"

namespace tenure::sim {

CheckResult judge(const CheckerKind& kind, const Checker& checker, const Scenario& scenario,
                  const std::vector<Broken>& broken, const Metrics& metrics);

// "not judged: …", of a checker that left something out; empty when it did not.
std::string what_is_not_judged(const Checker& checker);

// A thing that was to happen at least once, and how often it did.
CheckResult judge_sometimes(std::string_view name, std::uint64_t times);

// Of a whole run: fail before inconclusive before pass. With `expect.fails`, that checker must have failed and nothing
// else demanded may have: the canary's verdict is turned round.
Verdict verdict_of(const std::vector<CheckResult>& checks, const Expectation& expect);

}  // namespace tenure::sim
