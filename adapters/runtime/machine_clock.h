// The clocks of this machine, as a node reads them.
//
// The monotonic clock is the greater of CLOCK_BOOTTIME and CLOCK_MONOTONIC_RAW, each counted from this object's
// making: the first runs on while the machine is suspended, the second is not slewed by a time daemon, which may
// stretch a second by 8 % (chrony's default). Either of them alone could stretch a lease; the greater cannot. Its
// zero is the machine's boot, so that the journals of several processes of one machine can be laid side by side.
//
// Thread rule: immutable; any thread may read it.
#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace tenure {

// A clock that is wrong on purpose, for tests.
struct ClockError {
  std::int64_t rate_ppm = 0;  // of both clocks; above -1,000,000
  Duration wall_offset;
};

class MachineClock {
 public:
  explicit MachineClock(ClockError error = {});

  MonoTime mono() const;
  WallTime wall() const;

 private:
  ClockError error_;
  std::int64_t boot_;  // CLOCK_BOOTTIME and CLOCK_MONOTONIC_RAW when this was made
  std::int64_t raw_;
  std::int64_t wall_;
};

}  // namespace tenure
