#include "sim/models/rate_clock.h"

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::sim {
namespace {
constexpr std::int64_t kWhole = 1'000'000;
}

std::int64_t RateClock::read(TrueTime now) const {
  const std::int64_t elapsed = (now - base_true_).ns();
  CHECK(elapsed >= 0, "a clock is never read before its last change");
  return base_ + (rate_ppm_ == 0 ? elapsed : mul_div_floor(elapsed, kWhole + rate_ppm_, kWhole));
}

TrueTime RateClock::when(std::int64_t reading) const {
  if (reading <= base_) return base_true_;
  if (reading == INT64_MAX || rate_ppm_ == kStill) return TrueTime::max();
  // floor(e * r) >= n  <=>  e * r >= n  <=>  e >= ceil(n / r)
  const std::int64_t elapsed =
      mul_div_ceil(tenure::detail::subtract_saturated(reading, base_), kWhole, kWhole + rate_ppm_);
  return base_true_ + Duration::nanos(elapsed);
}

void RateClock::set_rate(TrueTime now, std::int64_t rate_ppm) {
  CHECK(rate_ppm >= kStill, "no clock runs backwards");
  base_ = read(now);
  base_true_ = now;
  rate_ppm_ = rate_ppm;
}

void RateClock::step(TrueTime now, Duration by) {
  base_ = tenure::detail::add_saturated(read(now), by.ns());
  base_true_ = now;
}

}  // namespace tenure::sim
