// A node's two clocks. They share one oscillator, so a rate error is in both; only the wall clock is ever stepped.
//
// Thread rule: one clock belongs to one run.
#pragma once

#include <algorithm>

#include "sim/models/rate_clock.h"

namespace tenure::sim {

class NodeClock {
 public:
  NodeClock() = default;
  // At true time zero the monotonic clock reads `mono` and the wall clock `wall`.
  NodeClock(MonoTime mono, WallTime wall, std::int64_t rate_ppm)
      : oscillator_(mono.ns(), rate_ppm), wall_minus_mono_(wall.ns() - mono.ns()), rate_ppm_(rate_ppm) {}

  MonoTime mono(TrueTime now) const { return MonoTime::from_ns(oscillator_.read(now)); }
  WallTime wall(TrueTime now) const { return WallTime::from_ns(oscillator_.read(now) + wall_minus_mono_); }
  // The least true time at which the clock shows the given time, as it runs now; max() if never.
  TrueTime when(MonoTime t) const { return oscillator_.when(t.ns()); }
  TrueTime when(WallTime t) const {
    return oscillator_.when(tenure::detail::subtract_saturated(t.ns(), wall_minus_mono_));
  }

  void step_wall(Duration by) { wall_minus_mono_ = tenure::detail::add_saturated(wall_minus_mono_, by.ns()); }
  // `extra_ppm` on top of the clock's own rate; 0 restores it.
  void disturb_rate(TrueTime now, std::int64_t extra_ppm) {
    oscillator_.set_rate(now, std::max(rate_ppm_ + extra_ppm, RateClock::kStill));
  }

 private:
  RateClock oscillator_;
  std::int64_t wall_minus_mono_ = 0;
  std::int64_t rate_ppm_ = 0;
};

}  // namespace tenure::sim
