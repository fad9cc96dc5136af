// The clocks of this machine, as a node reads them.
//
// The monotonic clock is the greater of CLOCK_BOOTTIME and CLOCK_MONOTONIC_RAW, each counted from this object's
// making: the first runs on while the machine is suspended, the second is not slewed by a time daemon, which may
// stretch a second by 8 % (chrony's default). Either of them alone could stretch a lease; the greater cannot. It
// begins at what CLOCK_BOOTTIME is then; where that is slewed, clocks that were made at different times come to differ.
// So journals carry CLOCK_BOOTTIME itself beside it, which all processes of the machine share.
//
// Thread rule: immutable; any thread may read it.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"
#include "core/journal/stamp.h"

namespace tenure {

// A clock that is wrong on purpose, for tests.
struct ClockError {
  std::int64_t rate_ppm = 0;  // of both clocks; above -1,000,000
  Duration wall_offset;
};

class MachineClock {
 public:
  explicit MachineClock(ClockError error = {});

  MonoTime mono() const { return now().mono; }
  journal::Stamp now() const;  // `at` is never wrong on purpose
  WallTime wall() const;

 private:
  ClockError error_;
  std::int64_t boot_;  // CLOCK_BOOTTIME and CLOCK_MONOTONIC_RAW when this was made
  std::int64_t raw_;
  std::int64_t wall_;
};

// Names this boot of the machine, from which mono() counts; empty where the system does not say.
std::string boot_id();

}  // namespace tenure
