// When a line of a journal was written: by the node's own clock, and by the one clock that all of a machine share.
//
// A node's monotonic clock is its own (adapters/runtime/machine_clock.h): two processes of one machine that began a day
// apart may be seconds apart by theirs. What the machine's clock says orders them.
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
