// What a file states about its faults is the envelope of a hunt: a case has what the file has, or less of it.
//
// For a strike of the file's own fault, the time, length, target and parameters stay within the file's ranges. Strikes
// of a repeated fault are no closer to each other than its shortest gap. A strike that a hunt adds ([hunt] faults) can
// come at any time. But if the file has faults of that action, its target, length and strength are drawn from one of
// them. `[hunt] beyond = true` asks for more than the file states.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "format/plans/plans.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::lab {

// Whether the file states something about this fault: it is the file's own, or the file has faults of its action.
// `hunted` is from as_hunted().
bool is_stated(const sim::FaultSetting& fault, const format::ScenarioFile& hunted);

// Draws the duration, the target and the parameters of a literal fault again from what the file states; for the file's
// own fault, also the time. False, and nothing changes, when the fault names instances that the case does not have.
// REQUIRES: is_stated(fault, hunted).
bool draw_as_stated(sim::FaultSetting& fault, const format::ScenarioFile& hunted, std::size_t instances,
                    sim::KeyedRng rng);

// Whether the strikes of each repeated fault of the file keep their distance.
bool keeps_gaps(const std::vector<sim::FaultSetting>& faults, const format::ScenarioFile& hunted);

// Whether it names an instance that a cluster of this size does not have.
bool names_nobody(const sim::FaultSetting& fault, std::size_t instances);

}  // namespace tenure::lab
