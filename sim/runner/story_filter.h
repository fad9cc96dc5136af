// The story of a run, thinned to what a reader needs: what goes on all the time is counted.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "sim/runner/narrator.h"

namespace tenure::sim {

// Fires in a row are one line ("executes 12 fires, the last at 2m10.003s"), checks of leadership are left out, and a
// line that comes again at once is one line with the number of times.
std::vector<NarratedEvent> filter_story(const std::vector<NarratedEvent>& story);

}  // namespace tenure::sim
