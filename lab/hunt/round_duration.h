// Round lengths of time, for people who read what a shrink left.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace tenure::sim {

// The least length that is no shorter and has one or two digits in seconds, minutes or hours.
Duration round_up(Duration length);

// Shorter and rounder ones, the roundest first: down to whole minutes, ten seconds, seconds, … microseconds.
// Without zero and without the length itself. REQUIRES: length >= 0.
std::vector<Duration> rounder(Duration length);

}  // namespace tenure::sim
