// A counterexample in words: the moves are made once more from the start, one after another, on states of their own.
//
// Nothing is looked up by number, so a trace is also a proof that what was put together from parts really happens.
//
// Thread rule: pure functions.
#pragma once

#include "lab/explore/search.h"

namespace tenure::lab::explore {

ExploreViolation retell(const ExploreSettings& settings, const SearchFinding& found);

}  // namespace tenure::lab::explore
