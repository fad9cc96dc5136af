// Time in distinct types: mixing two clocks does not compile.
//
// Every time is an int64 count of nanoseconds. There is no floating point anywhere in simulated state.
//
//   Duration   a length of time, on whichever clock it was measured
//   MonoTime   a node's monotonic clock: never goes back; its zero means nothing to another node
//   WallTime   a node's wall clock, since the Unix epoch: may step either way
//   StoreTime  a store's clock, since the Unix epoch, in whole microseconds like a database column: a slot in
//              nanoseconds would not equal the row that it was written to
//
// The simulator has its own clock, TrueTime (sim/kernel/true_time.h). No code in core can name it.
//
// Arithmetic saturates at the ends instead of wrapping: max() means "never" and stays "never".
// Thread rule: values; no shared state.
#pragma once

#include <compare>
#include <cstdint>

namespace tenure {

namespace detail {
constexpr std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}
constexpr std::int64_t subtract_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return b < 0 ? INT64_MAX : INT64_MIN;
  return difference;
}
// Rounds down to a multiple of `unit`; at the lower end of the range, to the least multiple.
constexpr std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t towards_zero = value - value % unit;
  return towards_zero > value && towards_zero >= INT64_MIN + unit ? towards_zero - unit : towards_zero;
}
}  // namespace detail

// A length of time in nanoseconds; may be negative.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration nanos(std::int64_t n) { return Duration{n}; }
  static constexpr Duration micros(std::int64_t n) { return scaled(n, 1'000); }
  static constexpr Duration millis(std::int64_t n) { return scaled(n, 1'000'000); }
  static constexpr Duration seconds(std::int64_t n) { return scaled(n, 1'000'000'000); }
  static constexpr Duration minutes(std::int64_t n) { return scaled(n, 60'000'000'000); }
  static constexpr Duration hours(std::int64_t n) { return scaled(n, 3'600'000'000'000); }
  static constexpr Duration max() { return Duration{INT64_MAX}; }

  constexpr std::int64_t ns() const { return ns_; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator-() const { return Duration{detail::subtract_saturated(0, ns_)}; }
  constexpr Duration operator+(Duration d) const { return Duration{detail::add_saturated(ns_, d.ns_)}; }
  constexpr Duration operator-(Duration d) const { return Duration{detail::subtract_saturated(ns_, d.ns_)}; }
  constexpr Duration operator*(std::int64_t factor) const { return scaled(ns_, factor); }
  constexpr Duration operator/(std::int64_t divisor) const { return Duration{ns_ / divisor}; }
  constexpr std::int64_t operator/(Duration d) const { return ns_ / d.ns_; }
  constexpr Duration& operator+=(Duration d) { return *this = *this + d; }
  constexpr Duration& operator-=(Duration d) { return *this = *this - d; }

 private:
  explicit constexpr Duration(std::int64_t ns) : ns_(ns) {}
  static constexpr Duration scaled(std::int64_t n, std::int64_t factor) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(n, factor, &product))
      return Duration{(n < 0) == (factor < 0) ? INT64_MAX : INT64_MIN};
    return Duration{product};
  }
  std::int64_t ns_ = 0;
};

// A point on one clock. Clock names the clock. kUnit is the clock's resolution in nanoseconds; every value is rounded
// down to it.
template <class Clock, std::int64_t kUnit = 1>
class TimePoint {
 public:
  constexpr TimePoint() = default;
  static constexpr TimePoint from_ns(std::int64_t ns) { return TimePoint{ns}; }
  static constexpr TimePoint max() { return TimePoint{INT64_MAX}; }  // "never"
  static constexpr TimePoint min() { return TimePoint{INT64_MIN + kUnit}; }

  constexpr std::int64_t ns() const { return ns_; }

  constexpr auto operator<=>(const TimePoint&) const = default;
  constexpr TimePoint operator+(Duration d) const { return TimePoint{detail::add_saturated(ns_, d.ns())}; }
  constexpr TimePoint operator-(Duration d) const {
    return TimePoint{detail::subtract_saturated(ns_, d.ns())};
  }
  constexpr Duration operator-(TimePoint t) const {
    return Duration::nanos(detail::subtract_saturated(ns_, t.ns_));
  }
  constexpr TimePoint& operator+=(Duration d) { return *this = *this + d; }

 private:
  explicit constexpr TimePoint(std::int64_t ns) : ns_(kUnit == 1 ? ns : detail::floor_to(ns, kUnit)) {}
  std::int64_t ns_ = 0;
};

struct MonoClock;
struct WallClock;
struct StoreClock;

using MonoTime = TimePoint<MonoClock>;
using WallTime = TimePoint<WallClock>;
using StoreTime = TimePoint<StoreClock, 1'000>;
inline constexpr Duration kStoreResolution = Duration::micros(1);

}  // namespace tenure
