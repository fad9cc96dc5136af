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

#include <optional>

#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/scheduler/fenced_outbox/store_clock_estimate.h"

namespace tenure {

class ClockWatch {
 public:
  ClockWatch(StoreClockEstimate clock, Duration clock_hold) : clock_(clock), clock_hold_(clock_hold) {}

  const StoreClockEstimate& clock() const { return clock_; }

  // Takes in one reply's store time.
  void observe(MonoTime sent_at, MonoTime now, StoreTime store_time);
  // What the store says of the hold. `own`: in answer to this node's request to set it.
  void see_hold(bool held, bool own, MonoTime now);

  bool may_fire() const { return !alarm_ && !hold_; }
  bool held() const { return hold_.has_value(); }
  // A jump is known, and no hold is set for it.
  bool wants_hold() const { return alarm_ && !hold_; }
  // The hold in force has outlived its cause.
  bool may_resume() const;
  // REQUIRES: wants_hold().
  Duration jump() const { return alarm_->jump; }
  // Returns each jump once; nullopt when all have been returned.
  std::optional<Duration> take_news();

  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  struct Alarm {
    OffsetRange baseline;  // before the first jump of this alarm
    Duration jump;         // the latest
    bool news = true;
  };
  struct HoldSeen {
    MonoTime first;
    bool returned = false;  // the offset came back to where it was
  };

  StoreClockEstimate clock_;
  Duration clock_hold_;
  MonoTime stable_since_ = MonoTime::min();
  MonoTime proved_until_ = MonoTime::min();  // when the request for the last sample was sent
  std::optional<Alarm> alarm_;
  std::optional<HoldSeen> hold_;
};

}  // namespace tenure
