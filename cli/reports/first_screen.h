// What a reader wants to know first of a run, in a few words: what it found, which assumption was broken, and what a
// fix costs.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

// "no-pause", of those that the promise rests on that was broken; or that there was none, or no promise. Empty: nothing
// was violated.
std::string broken_assumption(const sim::Recording& recording, const sim::Scenario& scenario);

// "in theory, a lease_duration of 22s instead of 15s outlasts it; …", of the fault before the first time that two
// believed, if that is among the violations. Empty: none is known.
std::string price_of_fix(const sim::Recording& recording, const sim::RunResult& result,
                         const sim::Scenario& scenario);

// What it found, in one sentence for somebody who has never seen a lease.
std::string verdict_sentence(const sim::RunResult& result, const sim::Expectation& expect);

}  // namespace tenure::cli
