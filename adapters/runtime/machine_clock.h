// The clocks of this machine, as a node reads them.
//
// The monotonic clock is CLOCK_MONOTONIC_RAW plus the time for which the machine was suspended. A time daemon does not
// slew RAW (chrony may by default stretch a second by 8 %), but RAW stands still during a suspension. The time
// suspended is what CLOCK_BOOTTIME has gained on CLOCK_MONOTONIC; both of these are slewed alike. (The greater of
// CLOCK_BOOTTIME and CLOCK_MONOTONIC_RAW, each counted from the beginning, would be wrong: over weeks one gets minutes
// ahead of the other, and then hides a suspension or a slew: docs/adr/0012.) The clock begins at the present
// CLOCK_BOOTTIME. Clocks that were made at different times come to differ, so journals also carry CLOCK_BOOTTIME
// itself, which all processes of the machine share.
//
// Thread rule: immutable; any thread may read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/base/time.h"
#include "core/journal/stamp.h"

namespace tenure {

// By how much each clock was moved so far, by somebody else: another thread, or another process in shared memory.
struct ClockSteps {
  std::atomic<std::int64_t> wall_ns = 0;
  std::atomic<std::int64_t> mono_ns =
      0;  // never by more than the process has stood still: it does not go back
};

// A clock that is wrong on purpose, for tests and live runs.
struct ClockError {
  std::int64_t rate_ppm = 0;  // of both clocks; above -1,000,000
  Duration wall_offset;
  const ClockSteps* steps = nullptr;  // null: nobody moves them; outlives the clock
};

// In nanoseconds.
struct ClockReadings {
  std::int64_t boot = 0;  // CLOCK_BOOTTIME, and so on
  std::int64_t monotonic = 0;
  std::int64_t raw = 0;
};
// With suspensions, without slews.
std::int64_t elapsed(const ClockReadings& since, const ClockReadings& now);

class MachineClock {
 public:
  explicit MachineClock(ClockError error = {});

  MonoTime mono() const { return now().mono; }
  journal::Stamp now() const;  // ClockError does not affect `at`
  WallTime wall() const;

 private:
  ClockError error_;
  ClockReadings made_;
  std::int64_t wall_;
};

// Names this boot of the machine, from which mono() counts; empty if the system does not say.
std::string boot_id();

}  // namespace tenure
