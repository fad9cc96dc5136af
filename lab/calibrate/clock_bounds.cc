#include "lab/calibrate/clock_bounds.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

const ClockReading& quickest(std::span<const ClockReading> readings) {
  return *std::min_element(readings.begin(), readings.end(),
                           [](const ClockReading& a, const ClockReading& b) { return a.trip < b.trip; });
}

std::int64_t floor_div(int128 a, std::int64_t b) {
  const int128 quotient = a / b;
  return static_cast<std::int64_t>(quotient * b > a ? quotient - 1 : quotient);
}

// By how many parts per million `there` is more than `here`, rounded down.
std::int64_t excess(std::int64_t there, std::int64_t here) {
  return std::clamp<std::int64_t>(floor_div(int128{there - here} * kMillion, here), -kMillion, kMillion * 10);
}

}  // namespace

ClockBounds clock_bounds(std::span<const ClockReading> readings, Duration resolution) {
  CHECK(!readings.empty(), "no clock was read");
  ClockBounds bounds;
  const ClockReading& best = quickest(readings);
  const auto ahead = Duration::nanos(best.other_ns - best.wall_ns);
  bounds.offset = {ahead - best.trip, ahead + resolution};

  const std::size_t third = readings.size() / 3;
  if (third == 0) return bounds;
  const ClockReading& first = quickest(readings.first(third));
  const ClockReading& last = quickest(readings.last(third));
  const std::int64_t there = last.other_ns - first.other_ns;
  const std::int64_t least = last.steady_ns - (first.steady_ns + first.trip.ns());
  const std::int64_t most = last.steady_ns + last.trip.ns() - first.steady_ns;
  if (least <= 0) return bounds;
  const sim::Range<std::int64_t> rate = {excess(there - resolution.ns(), most),
                                         excess(there + resolution.ns(), least) + 1};
  bounds.stepped = rate.low > kWidestRate || rate.high < -kWidestRate;
  if (!bounds.stepped && rate.high - rate.low <= kWidestRate) bounds.rate_ppm = rate;
  return bounds;
}

}  // namespace tenure::lab
