// What the clock of a node makes of the machine's clocks.
#include "adapters/runtime/machine_clock.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3'600 * kSecond;

// A machine whose time daemon slews, and that somebody puts to sleep.
struct Machine {
  ClockReadings now;

  void run(std::int64_t length, std::int64_t slew_ppm = 0) {
    const std::int64_t slewed = length + length / 1'000'000 * slew_ppm;
    now.raw += length;
    now.monotonic += slewed;
    now.boot += slewed;
  }
  void suspend(std::int64_t length) { now.boot += length; }
};

// What a node sees of a stretch of time, whose clock was made at the beginning.
std::int64_t seen(const ClockReadings& made, const ClockReadings& from, const ClockReadings& to) {
  return elapsed(made, to) - elapsed(made, from);
}

TEST(MachineClock, counts_a_suspension_whatever_the_slew_before_it) {
  for (const std::int64_t slew_ppm : {-80'000, -20, 0, 20, 80'000}) {
    Machine machine;
    machine.run(24 * 30 * kHour, slew_ppm);
    const ClockReadings before = machine.now;
    machine.suspend(30 * kSecond);
    EXPECT_EQ(seen({}, before, machine.now), 30 * kSecond) << slew_ppm;
  }
}

TEST(MachineClock, is_not_slewed_whatever_the_clocks_had_come_apart_before) {
  for (const std::int64_t drift_ppm : {-100, 0, 100}) {
    Machine machine;
    machine.run(24 * 30 * kHour, drift_ppm);
    machine.suspend(kHour);
    const ClockReadings before = machine.now;
    machine.run(15 * kSecond, -80'000);
    EXPECT_EQ(seen({}, before, machine.now), 15 * kSecond) << drift_ppm;
  }
}

// Readings are taken one after the other.
TEST(MachineClock, stays_between_its_readings_when_the_thread_stands_still_between_them) {
  ClockReadings torn{.boot = kSecond, .monotonic = 2 * kSecond, .raw = 3 * kSecond};
  EXPECT_GE(elapsed({}, torn), kSecond);
  EXPECT_LE(elapsed({}, torn), 3 * kSecond);
}

TEST(MachineClock, is_moved_by_steps_from_outside) {
  ClockSteps steps;
  const MachineClock clock({.rate_ppm = 0, .wall_offset = {}, .steps = &steps});
  const MonoTime mono = clock.mono();
  const WallTime wall = clock.wall();
  steps.mono_ns = -kHour;
  steps.wall_ns = 2 * kHour;
  EXPECT_LT(clock.mono(), mono - Duration::nanos(kHour / 2));
  EXPECT_GT(clock.wall(), wall + Duration::nanos(kHour));
}

}  // namespace
}  // namespace tenure
