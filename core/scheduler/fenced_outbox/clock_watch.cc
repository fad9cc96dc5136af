#include "core/scheduler/fenced_outbox/clock_watch.h"

#include <algorithm>

namespace tenure {

void ClockWatch::observe(MonoTime sent_at, MonoTime now, StoreTime store_time) {
  if (!clock_.known()) {
    clock_.observe(sent_at, now, store_time);
    stable_since_ = now;
    return;
  }
  const OffsetRange before = clock_.range_at(now);
  const Duration jump = clock_.observe(sent_at, now, store_time);
  proved_until_ = std::max(proved_until_, sent_at);
  if (jump != Duration{}) {
    if (!alarm_) alarm_ = Alarm{before, jump};
    alarm_->jump = jump;
    alarm_->news = true;
    stable_since_ = now;
  }
  if (!alarm_) return;

  const OffsetRange baseline = alarm_->baseline.widened(now, clock_.drift_ppm());
  const Duration gap = clock_.range_at(now).gap_from(baseline);
  if (gap <= clock_.tolerance() && gap >= -clock_.tolerance()) {
    alarm_.reset();
    if (hold_) hold_->returned = true;
  } else if (proved_until_ >= stable_since_ + clock_hold_) {
    alarm_.reset();
  }
}

void ClockWatch::see_hold(bool held, bool own, MonoTime now) {
  if (held && !hold_) {
    // Set for a jump that was undone while the request was under way: nothing is left to wait for.
    hold_ = HoldSeen{now, own && !alarm_};
  } else if (!held && hold_) {
    hold_.reset();
    alarm_.reset();
  }
}

bool ClockWatch::may_resume() const {
  if (!hold_ || alarm_) return false;
  return hold_->returned || proved_until_ >= std::max(hold_->first, stable_since_) + clock_hold_;
}

std::optional<Duration> ClockWatch::take_news() {
  if (!alarm_ || !alarm_->news) return std::nullopt;
  alarm_->news = false;
  return alarm_->jump;
}

void ClockWatch::hash(Hasher& hasher, const Canon& canon) const {
  clock_.hash(hasher, canon);
  hasher.add(canon.offset(stable_since_)).add(canon.offset(proved_until_));
  hasher.add(alarm_.has_value());
  if (alarm_) {
    alarm_->baseline.hash(hasher, canon);
    hasher.add(alarm_->jump).add(alarm_->news);
  }
  hasher.add(hold_.has_value());
  if (hold_) hasher.add(canon.offset(hold_->first)).add(hold_->returned);
}

}  // namespace tenure
