#include "core/scheduler/fenced_outbox/store_clock_estimate.h"

#include <algorithm>

#include "core/base/int128.h"

namespace tenure {
namespace {

// A store's clock is read in whole microseconds, rounded down: the reading may be this much behind.

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

void OffsetRange::hash(Hasher& hasher, const Canon& canon) const {
  // The moment at which the store's clock read zero, by each bound: an offset from now like any other time.
  hasher.add(canon.offset(MonoTime{} - low)).add(canon.offset(MonoTime{} - high)).add(canon.offset(at));
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

void StoreClockEstimate::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(range_.has_value());
  if (range_) range_->hash(hasher, canon);
}

}  // namespace tenure
