// When a line of a journal was written: by the node's own clock, and by the clock that all processes of a machine
// share.
//
// A node's monotonic clock is its own (adapters/runtime/machine_clock.h). The clocks of two processes on one machine
// that started a day apart may differ by seconds. The machine's clock orders their lines.
//
// Thread rule: values.
#pragma once

#include "core/base/time.h"

namespace tenure::journal {

struct BootClock;
using BootTime = TimePoint<BootClock>;  // since the machine's boot

struct Stamp {  // read at one moment
  BootTime at;
  MonoTime mono;
};

}  // namespace tenure::journal
