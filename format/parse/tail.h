// How long a tail must be, so that its demands can come true: as long as the recovery from the last fault
// (sim/faults/recovery.h has the rule).
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::format {

Duration needed_tail(const sim::Scenario& scenario);

}  // namespace tenure::format
