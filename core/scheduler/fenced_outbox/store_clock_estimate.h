// What a node knows of its store's clock, from the times that replies carry.
//
// A request was sent at s, its reply arrived at r, and the reply says that the store's clock read t in between. So the
// offset (store time minus monotonic time) was somewhere in [t - r, t - s]. While both clocks keep within the drift
// bound, a range stays true if it is widened by the possible drift. So each new sample is intersected with what earlier
// samples predict (Marzullo 1984). If a sample lies clear of the prediction, one of the clocks has jumped.
//
// Invariants:
//   1. low <= high.
//   2. If the drift bound holds and no clock jumps, the true offset is within range_at(now).
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/model/node.h"

namespace tenure {

// How far two clocks, each off by at most `ppm`, may come apart in `elapsed` of either.
Duration drift_between_clocks(Duration elapsed, std::int64_t ppm);

// Bounds of an offset, store time minus monotonic time, as they were at the moment `at`.
struct OffsetRange {
  Duration low;
  Duration high;
  MonoTime at;

  // The same bounds at `now`, when each clock's rate may be off by `drift_ppm`.
  OffsetRange widened(MonoTime now, std::int64_t drift_ppm) const;
  // How far this range lies above `other` (negative: below it); zero when they overlap.
  Duration gap_from(const OffsetRange& other) const;
  Duration middle() const { return low / 2 + high / 2; }
  void hash(Hasher& hasher, const Canon& canon) const;
};

class StoreClockEstimate {
 public:
  // REQUIRES: 0 <= max_clock_drift_ppm < 1'000'000.
  StoreClockEstimate(std::int64_t max_clock_drift_ppm, Duration tolerance)
      : drift_ppm_(max_clock_drift_ppm), tolerance_(tolerance) {}

  // Takes in one reply. Returns how far the store's clock jumped, or zero. A sample that misses the prediction by no
  // more than the tolerance is taken as it is.
  Duration observe(MonoTime sent_at, MonoTime now, StoreTime store_time);

  bool known() const { return range_.has_value(); }
  // REQUIRES of all below: known().
  OffsetRange range_at(MonoTime now) const { return range_->widened(now, drift_ppm_); }
  // No later than the store's clock at `now`, but for the drift since the last sample.
  StoreTime earliest(MonoTime now) const { return StoreTime::from_ns((now + range_->low).ns()); }
  // The first moment at which earliest() has reached `time`.
  MonoTime when(StoreTime time) const { return MonoTime::from_ns(time.ns()) - range_->low; }

  std::int64_t drift_ppm() const { return drift_ppm_; }
  Duration tolerance() const { return tolerance_; }
  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  std::int64_t drift_ppm_;
  Duration tolerance_;
  std::optional<OffsetRange> range_;
};

}  // namespace tenure
