// Whether a scheduler can keep up with its schedules on the store that it has.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Why slots come ever later, or are left out, although nothing is broken: the store takes longer for the commits than
// the schedules leave it, or longer for an answer than its scheduler waits, or there are too few workers; if the
// scheduler commits in batches. Or why leaders lose their leases: so much work begins together that it holds up their
// requests. Reckoned with mean latencies, for the schedules of the file and for what clients make of them. Empty:
// nothing of that is so. For people.
std::vector<std::string> overloads(const Scenario& scenario);

// Whether a request may wait in its node for so long, behind work that begins with one commit, or that clients asked
// for: effects leave one after the other.
bool work_may_hold_up(const Scenario& scenario, Duration time);

}  // namespace tenure::sim
