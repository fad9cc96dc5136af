// The clocks of this machine, as a node reads them.
//
// The monotonic clock counts CLOCK_MONOTONIC_RAW, which a time daemon does not slew (it may stretch a second by 8 %,
// chrony's default), and the time for which the machine was suspended, in which that clock stands still: by as much
// CLOCK_BOOTTIME runs ahead of CLOCK_MONOTONIC, and both are slewed alike. (The greater of CLOCK_BOOTTIME and
// CLOCK_MONOTONIC_RAW, each counted from the beginning, would not do: over weeks one comes to be minutes ahead of the
// other, and then hides a suspension of the one behind, or a slew of the one ahead.) It begins at what CLOCK_BOOTTIME
// is then; clocks that were made at different times come to differ. So journals carry CLOCK_BOOTTIME itself beside it,
// which all processes of the machine share.
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

// In nanoseconds.
struct ClockReadings {
  std::int64_t boot = 0;  // CLOCK_BOOTTIME, and so on
  std::int64_t monotonic = 0;
  std::int64_t raw = 0;
};
// Suspensions included, slews not.
std::int64_t elapsed(const ClockReadings& since, const ClockReadings& now);

class MachineClock {
 public:
  explicit MachineClock(ClockError error = {});

  MonoTime mono() const { return now().mono; }
  journal::Stamp now() const;  // `at` is never wrong on purpose
  WallTime wall() const;

 private:
  ClockError error_;
  ClockReadings made_;
  std::int64_t wall_;
};

// Names this boot of the machine, from which mono() counts; empty where the system does not say.
std::string boot_id();

}  // namespace tenure
