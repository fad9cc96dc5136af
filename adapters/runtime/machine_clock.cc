#include "adapters/runtime/machine_clock.h"

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

// In this order: should the thread stand still between two of them, what elapsed() gives is still a time between the
// first reading and the last.
ClockReadings read_all() {
  ClockReadings now;
  now.boot = read(CLOCK_BOOTTIME);
  now.monotonic = read(CLOCK_MONOTONIC);
  now.raw = read(CLOCK_MONOTONIC_RAW);
  return now;
}

std::int64_t at_rate(std::int64_t elapsed, std::int64_t ppm) {
  return static_cast<std::int64_t>(int128{elapsed} * (kMillion + ppm) / kMillion);
}

}  // namespace

std::int64_t elapsed(const ClockReadings& since, const ClockReadings& now) {
  const std::int64_t suspended = (now.boot - now.monotonic) - (since.boot - since.monotonic);
  return now.raw - since.raw + suspended;
}

MachineClock::MachineClock(ClockError error) : error_(error), made_(read_all()), wall_(read(CLOCK_REALTIME)) {
  CHECK(error.rate_ppm > -kMillion, "a clock runs forward");
}

journal::Stamp MachineClock::now() const {
  const ClockReadings now = read_all();
  return {journal::BootTime::from_ns(now.boot),
          MonoTime::from_ns(made_.boot + at_rate(elapsed(made_, now), error_.rate_ppm) +
                            (error_.steps != nullptr ? error_.steps->mono_ns.load() : 0))};
}

WallTime MachineClock::wall() const {
  const std::int64_t passed = read(CLOCK_REALTIME) - wall_;
  const Duration stepped =
      error_.steps != nullptr ? Duration::nanos(error_.steps->wall_ns.load()) : Duration{};
  return WallTime::from_ns(wall_ + at_rate(passed, error_.rate_ppm)) + error_.wall_offset + stepped;
}

std::string boot_id() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace tenure
