// What is the matter with stores and links, for a recording: from one change to the next, in words.
//
// Thread rule: pure functions.
#pragma once

#include "sim/runner/recording.h"
#include "sim/world/record.h"

namespace tenure::sim {

// Adds what the record says to `conditions` and `links`, and ends what is over.
void follow_conditions(TrueTime now, const Record& record, Recording& recording);

}  // namespace tenure::sim
