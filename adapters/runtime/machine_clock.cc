#include "adapters/runtime/machine_clock.h"

#include <algorithm>
#include <ctime>
#include <fstream>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

std::int64_t read(clockid_t clock) {
  timespec now{};
  CHECK(clock_gettime(clock, &now) == 0, "Linux has this clock");
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t at_rate(std::int64_t elapsed, std::int64_t ppm) {
  return static_cast<std::int64_t>(int128{elapsed} * (kMillion + ppm) / kMillion);
}

}  // namespace

MachineClock::MachineClock(ClockError error)
    : error_(error),
      boot_(read(CLOCK_BOOTTIME)),
      raw_(read(CLOCK_MONOTONIC_RAW)),
      wall_(read(CLOCK_REALTIME)) {
  CHECK(error.rate_ppm > -kMillion, "a clock runs forward");
}

journal::Stamp MachineClock::now() const {
  const std::int64_t boot = read(CLOCK_BOOTTIME);
  const std::int64_t elapsed = std::max(boot - boot_, read(CLOCK_MONOTONIC_RAW) - raw_);
  return {journal::BootTime::from_ns(boot), MonoTime::from_ns(boot_ + at_rate(elapsed, error_.rate_ppm))};
}

WallTime MachineClock::wall() const {
  const std::int64_t elapsed = read(CLOCK_REALTIME) - wall_;
  return WallTime::from_ns(wall_ + at_rate(elapsed, error_.rate_ppm)) + error_.wall_offset;
}

std::string boot_id() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace tenure
