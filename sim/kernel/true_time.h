// TrueTime: the simulator's own clock, which no node and no store can read.
//
// Zero is the start of the run. Core cannot name this type: nothing in core includes this file.
// Thread rule: values.
#pragma once

#include "core/base/time.h"

namespace tenure::sim {

struct TrueClock;
using TrueTime = TimePoint<TrueClock>;

}  // namespace tenure::sim
