// A node's two clocks. They share one oscillator, so a rate error is in both; only the wall clock is ever stepped.
//
// While the machine is suspended, the monotonic clock stands still. The wall clock is corrected when the machine wakes,
// before anything can read it, so here it runs on.
//
// Thread rule: one clock belongs to one run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/models/rate_clock.h"

namespace tenure::sim {

class NodeClock {
 public:
  NodeClock() = default;
  // At true time zero the monotonic clock reads `mono` and the wall clock `wall`.
  NodeClock(MonoTime mono, WallTime wall, std::int64_t rate_ppm)
      : oscillator_(mono.ns(), rate_ppm), wall_minus_mono_(wall.ns() - mono.ns()), rate_ppm_(rate_ppm) {}

  MonoTime mono(TrueTime now) const {
    return MonoTime::from_ns(suspended_at_.value_or(oscillator_.read(now)) - lost_);
  }
  WallTime wall(TrueTime now) const { return WallTime::from_ns(oscillator_.read(now) + wall_minus_mono_); }
  // The least true time at which the clock shows the given time, as it runs now; max() if never.
  TrueTime when(MonoTime t) const {
    const std::int64_t reading = tenure::detail::add_saturated(t.ns(), lost_);
    if (suspended_at_ && reading > *suspended_at_) return TrueTime::max();
    return oscillator_.when(reading);
  }
  TrueTime when(WallTime t) const {
    return oscillator_.when(tenure::detail::subtract_saturated(t.ns(), wall_minus_mono_));
  }

  void step_wall(Duration by) { wall_minus_mono_ = tenure::detail::add_saturated(wall_minus_mono_, by.ns()); }
  // `extra_ppm` on top of the clock's own rate; 0 restores it. RateClock::kStill stops it, whatever its own rate.
  void disturb_rate(TrueTime now, std::int64_t extra_ppm) {
    const bool still = extra_ppm <= RateClock::kStill;
    oscillator_.set_rate(now, still ? RateClock::kStill : std::max(rate_ppm_ + extra_ppm, RateClock::kStill));
  }
  std::int64_t rate_ppm() const { return oscillator_.rate_ppm(); }  // its own, and what disturbs it
  bool stands_still() const { return oscillator_.rate_ppm() == RateClock::kStill; }

  bool suspended() const { return suspended_at_.has_value(); }
  void suspend(TrueTime now) {
    if (!suspended_at_) suspended_at_ = oscillator_.read(now);
  }
  void wake(TrueTime now) {
    if (suspended_at_) lost_ += oscillator_.read(now) - *suspended_at_;
    suspended_at_.reset();
  }

 private:
  RateClock oscillator_;
  std::int64_t wall_minus_mono_ = 0;  // as if the monotonic clock had never been suspended
  std::int64_t rate_ppm_ = 0;
  std::optional<std::int64_t> suspended_at_;  // the oscillator's reading
  std::int64_t lost_ = 0;                     // by the monotonic clock, while it was suspended
};

}  // namespace tenure::sim
