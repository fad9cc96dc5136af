// Whether a scheduler can keep up with its schedules on the store that it has.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/schedule/definition.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// The least time between two slots that may come due in the run, of the first hundred; max() when there are not two.
Duration least_gap(const Definition& definition, const Scenario& scenario);

// Why slots come ever later, or are left out, although nothing is broken: the store takes longer for the commits than
// the schedules leave it, or longer for an answer than its scheduler waits, or there are too few workers. Reckoned with
// mean latencies, for the schedules of the file. Empty: it keeps up, or its scheduler does not commit in batches. For
// people.
std::vector<std::string> overloads(const Scenario& scenario);

}  // namespace tenure::sim
