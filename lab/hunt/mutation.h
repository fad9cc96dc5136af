// Mutation: makes a case that differs a little from one that showed something new, to see what is near it.
//
// Thread rule: pure functions.
#pragma once

#include "lab/hunt/swarm.h"

namespace tenure::lab {

// One to four changes: a fault is moved, stretched, aimed at another node, given another parameter, doubled, removed,
// added, or taken over from `other`; sometimes the noise of another seed. Both are cases of the same hunt.
//
//   1. A mutant of a case inside the claims is inside them, too.
//   2. Besides the file's faults, there are at most as many as [hunt] allows.
//   3. Stretched and delayed times stay within the range for draws (strikes.h), or within the file's: mutants of
//      mutants do not grow without end.
//   4. They keep to what the file states (envelope.h).
Case mutate(const Case& parent, const Case& other, const format::ScenarioFile& hunted, std::uint64_t seed);

}  // namespace tenure::lab
