// The search of a tuning, round after round (lab/tune/tuning.h), until it asks for nothing more.
//
// Thread rule: one thread, which starts others.
#pragma once

#include "lab/session/tune_runs.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

// False: it was interrupted.
bool search(sim::Tuning& tuning, TuneRuns& runs);

}  // namespace tenure::lab
