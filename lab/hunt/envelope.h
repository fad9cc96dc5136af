// What a file states about its faults is the envelope of a hunt: a case has what the file has, or less of it.
//
// A strike of the file's own fault comes at a time, lasts for a length, strikes a target and has parameters that the
// file's own ranges hold. Strikes of one that comes again are no closer to each other than its shortest gap. A strike
// that a hunt adds ([hunt] faults) comes when it will; but if the file has faults of that action, whom it strikes, for
// how long and how hard is drawn from one of them. `[hunt] beyond = true` asks for more than the file states.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "format/plans/plans.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::sim {

// A hunt keeps to what the file states of this fault: it is the file's own, or of an action that the file has.
// `hunted` is from as_hunted().
bool is_stated(const FaultSetting& fault, const ScenarioFile& hunted);

// Draws the duration, the target and the parameters of a literal fault anew, and of the file's own the time as well,
// from what the file states. False, and nothing is changed, when it names instances that the case does not have.
// REQUIRES: is_stated(fault, hunted).
bool draw_as_stated(FaultSetting& fault, const ScenarioFile& hunted, std::size_t instances, KeyedRng rng);

// The strikes of each of the file's faults that come again keep their distance.
bool keeps_gaps(const std::vector<FaultSetting>& faults, const ScenarioFile& hunted);

// It names an instance that a cluster of this size does not have.
bool names_nobody(const FaultSetting& fault, std::size_t instances);

}  // namespace tenure::sim
