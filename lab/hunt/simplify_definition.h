// Plainer definitions, for people who read what a shrink left.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/schedule/definition.h"

namespace tenure::sim {

// Definitions that have one thing less about them: no end, no jitter, no policy but the default, not paused, fewer
// instants, UTC. A recurrence stays of its kind. Each is nearer to the plainest one, so that a search comes to an end.
std::vector<Definition> simplify_definition(const Definition& definition);

}  // namespace tenure::sim
