// Simpler definitions and rounder durations, for people who read the result of a shrink.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure::lab {

// Definitions that are simpler in one respect: no end, no jitter, the default policy, not paused, fewer instants, UTC.
// The kind of recurrence stays. Each is nearer to the simplest one, so that a search ends.
std::vector<Definition> simplify_definition(const Definition& definition);

// The least duration that is no shorter and has one or two digits in seconds, minutes or hours.
Duration round_up(Duration length);

// Shorter and rounder durations, the roundest first: whole minutes, ten seconds, seconds, … microseconds. Without zero
// and without the duration itself. REQUIRES: length >= 0.
std::vector<Duration> rounder(Duration length);

}  // namespace tenure::lab
