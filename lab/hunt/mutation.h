// A case made from one that showed something new: a little different, so that what is next to it is seen as well.
//
// Thread rule: pure functions.
#pragma once

#include "lab/hunt/swarm.h"

namespace tenure::sim {

// One to four changes: a fault moved, stretched, aimed at somebody else, with another parameter, said twice, taken out,
// added, or taken over from `other`; sometimes with the noise of another seed. Both are cases of the same hunt.
//
//   1. A mutant of a case inside the claims is inside them, too.
//   2. Besides the faults of the file there are no more than [hunt] allows.
//   3. Whatever is stretched or put off stays within what is drawn (strikes.h), or as long as the file has it: mutants
//      of mutants do not grow without end.
//   4. What the file states is kept to (envelope.h).
Case mutate(const Case& parent, const Case& other, const ScenarioFile& hunted, std::uint64_t seed);

}  // namespace tenure::sim
