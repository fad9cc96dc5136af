// Bounds of another clock's offset and rate against ours, from readings of it.
//
// A reading of the other clock was made at some moment between the request and the answer. So its offset lies between
// the reading less the arrival and the reading less the departure, as NTP has it (RFC 5905, 8): no smaller interval
// follows from one round trip, and no symmetry of the ways is assumed. Two such readings bound the rate: the least and
// the most that can have passed here between them, against what passed there.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/time.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// One round trip.
struct ClockReading {
  // Our wall clock and our steady clock at the departure; the length of the trip on the steady clock.
  std::int64_t wall_ns = 0;
  std::int64_t steady_ns = 0;
  Duration trip;
  std::int64_t other_ns = 0;  // the other clock, rounded down to whole `resolution`s
};

struct ClockBounds {
  sim::Range<Duration> offset;  // of the other clock, ahead of our wall clock
  std::optional<sim::Range<std::int64_t>>
      rate_ppm;          // against our steady clock; nullopt: the time was too short
  bool stepped = false;  // the readings cannot come from one steady clock: it was set meanwhile
};

// The offset is that of the quickest round trip. The rate is from the quickest of the first third to the quickest of
// the last; there is none when its bounds are further apart than kWidestRate. REQUIRES: there is a reading; in order.
ClockBounds clock_bounds(std::span<const ClockReading> readings, Duration resolution);

inline constexpr std::int64_t kWidestRate = 10'000;  // parts per million: wider bounds say nothing

}  // namespace tenure::lab
