// Simpler definitions, for people who read the result of a shrink.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/schedule/definition.h"

namespace tenure::lab {

// Definitions that are simpler in one respect: no end, no jitter, the default policy, not paused, fewer instants, UTC.
// The kind of recurrence stays. Each is nearer to the simplest one, so that a search ends.
std::vector<Definition> simplify_definition(const Definition& definition);

}  // namespace tenure::lab
