#include "adapters/sqlite/host_time.h"

#include <ctime>
#include <fstream>

#include "adapters/sqlite/sqlite_store.h"
#include "core/base/check.h"

namespace tenure::sqlite {
namespace {

// Longer than two readings of clocks take, unless the thread stood still between them.
constexpr Duration kAtOnce = Duration::millis(10);

Duration since_boot() {
  timespec time{};
  CHECK(clock_gettime(CLOCK_BOOTTIME, &time) == 0, "Linux has this clock");
  return Duration::seconds(time.tv_sec) + Duration::nanos(time.tv_nsec);
}

std::string read_boot() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace

// The boot clock is steered like the wall clock, and counts suspensions as that does: only steps part the two.
HostTime host_time() {
  static const std::string kBoot = read_boot();
  for (;;) {
    const Duration before = since_boot();
    const StoreTime now = host_clock();
    if (since_boot() - before < kAtOnce) return {now, kBoot, now - before};
  }
}

std::optional<Duration> jump_between(const HostTime& last, const HostTime& next) {
  if (last.boot.empty() || next.boot.empty()) return std::nullopt;
  const bool same = last.boot == next.boot;
  const Duration jump = same ? next.booted - last.booted : next.now - last.now;
  const bool is_jump = jump < -kClockTolerance || jump > (same ? kClockTolerance : kLongAway);
  return is_jump ? std::optional(jump) : std::nullopt;
}

}  // namespace tenure::sqlite
