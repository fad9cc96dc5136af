// How long a tail must be, so that what is demanded in it can come true: as long as it takes to recover from the last
// fault (sim/faults/recovery.h has the rule).
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::sim {

Duration needed_tail(const Scenario& scenario);

}  // namespace tenure::sim
