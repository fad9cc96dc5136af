#include "core/scheduler/fenced_outbox/clock_watch.h"

#include <algorithm>

#include "core/base/int128.h"

namespace tenure {
namespace {

Duration between(StoreTime store, MonoTime mono) {
  return Duration::nanos(store.ns()) - Duration::nanos(mono.ns());
}

}  // namespace

// Two clocks, each off by rho, run apart by at most 2 rho / (1 - rho) of what either of them shows.
Duration drift_between_clocks(Duration elapsed, std::int64_t ppm) {
  return Duration::nanos(mul_div_ceil(std::max<std::int64_t>(elapsed.ns(), 0), 2 * ppm, 1'000'000 - ppm));
}

OffsetRange OffsetRange::widened(MonoTime now, std::int64_t drift_ppm) const {
  const Duration drift = drift_between_clocks(now - at, drift_ppm);
  return {low - drift, high + drift, now};
}

Duration OffsetRange::gap_from(const OffsetRange& other) const {
  if (low > other.high) return low - other.high;
  if (high < other.low) return high - other.low;
  return {};
}

Duration StoreClockEstimate::observe(MonoTime sent_at, MonoTime now, StoreTime store_time) {
  sent_at = std::min(sent_at, now);
  // Executed at `now` at the latest; or at sent_at already, and then the clocks ran on from there.
  const Duration high =
      between(store_time + kStoreResolution, sent_at) + drift_between_clocks(now - sent_at, drift_ppm_);
  const OffsetRange sample{between(store_time, now), high, now};
  if (!range_) {
    range_ = sample;
    return {};
  }
  const OffsetRange predicted = range_at(now);
  const Duration gap = sample.gap_from(predicted);
  if (gap == Duration{}) {
    range_ = OffsetRange{std::max(sample.low, predicted.low), std::min(sample.high, predicted.high), now};
    return {};
  }
  range_ = sample;
  const bool jumped = gap > tolerance_ || gap < -tolerance_;
  return jumped ? sample.middle() - predicted.middle() : Duration{};
}

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

}  // namespace tenure
