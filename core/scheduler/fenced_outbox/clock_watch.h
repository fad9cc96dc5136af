// Whether the store's clock can be trusted to say what is due: the alarm and the hold.
//
// If the store's clock jumps against the monotonic clock, a leader could fire slots of a false future. So a jump raises
// an alarm here, and nothing fires until the alarm is over. The alarm is this node's own and ends with the node. The
// hold is the alarm written to the store, where the next leader finds it. Every instance keeps a watch, leading or not,
// so that a leader's death does not lose the baseline.
//
// An alarm is over when the offset is back at its baseline from before the jump, or when the offset has not moved for
// clock_hold; then the new offset is believed. A hold ends under the same two conditions, as the present leader sees
// them. Only time that replies prove counts.
//
// Invariants:
//   1. may_fire() implies that no hold is known and that no alarm stands.
//   2. When a hold is lifted, the alarm ends too: the instance that lifted it has judged the clock.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/fold.h"
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
  // The moment at which the store's clock read zero, by each bound: a time like any other.
  void hash(auto& sink) const { fold(sink, MonoTime{} - low, MonoTime{} - high, at); }
};

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
  void hash(auto& sink) const { fold(sink, range_); }

 private:
  std::int64_t drift_ppm_;
  Duration tolerance_;
  std::optional<OffsetRange> range_;
};

class ClockWatch {
 public:
  ClockWatch(StoreClockEstimate clock, Duration clock_hold) : clock_(clock), clock_hold_(clock_hold) {}

  const StoreClockEstimate& clock() const { return clock_; }

  // Takes in one reply's store time.
  void observe(MonoTime sent_at, MonoTime now, StoreTime store_time);
  // What the store says of the hold. `own`: in answer to this node's request to set it.
  void see_hold(bool held, bool own, MonoTime now);

  bool may_fire() const { return !alarm_ && !hold_; }
  // A jump is known, and no hold is set for it.
  bool wants_hold() const { return alarm_ && !hold_; }
  // The hold in force has outlived its cause.
  bool may_resume() const;
  // REQUIRES: wants_hold().
  Duration jump() const { return alarm_->jump; }
  // Returns each jump once; nullopt when all have been returned.
  std::optional<Duration> take_news();

  void hash(auto& sink) const { fold(sink, clock_, stable_since_, proved_until_, alarm_, hold_); }

 private:
  struct Alarm {
    OffsetRange baseline;  // before the first jump of this alarm
    Duration jump;         // the latest
    bool news = true;
    void hash(auto& sink) const { fold(sink, baseline, jump, news); }
  };
  struct HoldSeen {
    MonoTime first;
    bool returned = false;  // the offset came back to where it was
    void hash(auto& sink) const { fold(sink, first, returned); }
  };

  StoreClockEstimate clock_;
  Duration clock_hold_;
  MonoTime stable_since_ = MonoTime::min();
  MonoTime proved_until_ = MonoTime::min();  // when the request for the last sample was sent
  std::optional<Alarm> alarm_;
  std::optional<HoldSeen> hold_;
};

}  // namespace tenure
