#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/models/node_clock.h"
#include "sim/models/rate_clock.h"

namespace tenure::sim {
namespace {

TrueTime at(Duration d) { return TrueTime{} + d; }

TEST(RateClock, a_clock_500_ppm_fast_gains_half_a_millisecond_a_second) {
  const RateClock clock(0, 500);
  EXPECT_EQ(clock.read(at(Duration::seconds(1))), 1'000'500'000);
}

TEST(RateClock, runs_for_a_century_without_overflow) {
  const RateClock clock(0, 83'333);
  const Duration century = Duration::hours(24 * 36525);
  EXPECT_EQ(clock.read(at(century)), century.ns() + century.ns() / 1'000'000 * 83'333);
}

TEST(RateClock, a_clock_that_stands_still_never_reaches_a_later_reading) {
  RateClock clock(100, 0);
  clock.set_rate(at(Duration::nanos(10)), RateClock::kStill);
  EXPECT_EQ(clock.read(at(Duration::hours(1))), 110);
  EXPECT_EQ(clock.when(111), TrueTime::max());
  EXPECT_EQ(clock.when(INT64_MAX), TrueTime::max());
}

// A timer fires at the least true time at which the local clock has reached its deadline.
RC_GTEST_PROP(RateClockProperty, when_is_the_least_time_at_which_the_reading_is_reached, ()) {
  const auto rate = *rc::gen::inRange<std::int64_t>(-999'999, 1'000'000);
  const auto base = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  const auto ahead = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  const RateClock clock(base, rate);
  const TrueTime when = clock.when(base + ahead);
  RC_ASSERT(clock.read(when) >= base + ahead);
  RC_ASSERT(when.ns() == 0 || clock.read(when - Duration::nanos(1)) < base + ahead);
}

RC_GTEST_PROP(RateClockProperty, a_change_of_rate_never_moves_the_reading_back, ()) {
  RateClock clock(0, *rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000));
  TrueTime now;
  std::int64_t before = clock.read(now);
  for (int i = 0; i < 20; ++i) {
    now += Duration::nanos(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
    clock.set_rate(now, *rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000));
    RC_ASSERT(clock.read(now) >= before);
    before = clock.read(now);
  }
}

TEST(NodeClock, a_step_moves_the_wall_clock_only) {
  NodeClock clock(MonoTime::from_ns(5), WallTime::from_ns(1'000), 0);
  clock.step_wall(Duration::nanos(-400));
  EXPECT_EQ(clock.mono(TrueTime{}), MonoTime::from_ns(5));
  EXPECT_EQ(clock.wall(TrueTime{}), WallTime::from_ns(600));
  EXPECT_EQ(clock.when(WallTime::from_ns(700)), TrueTime::from_ns(100));
}

TEST(NodeClock, a_disturbed_rate_is_in_both_clocks_and_ends) {
  NodeClock clock(MonoTime{}, WallTime{}, 100);
  clock.disturb_rate(TrueTime{}, 1'000'000 - 100);
  EXPECT_EQ(clock.mono(at(Duration::seconds(1))), MonoTime{} + Duration::seconds(2));
  EXPECT_EQ(clock.wall(at(Duration::seconds(1))), WallTime{} + Duration::seconds(2));
  clock.disturb_rate(at(Duration::seconds(1)), 0);
  EXPECT_EQ(clock.mono(at(Duration::seconds(2))), MonoTime{} + Duration::seconds(3) + Duration::micros(100));
}

TEST(NodeClock, a_suspended_machine_loses_monotonic_time_and_wakes_with_the_right_wall_clock) {
  NodeClock clock(MonoTime{}, WallTime{}, 100);
  const NodeClock undisturbed = clock;
  clock.suspend(at(Duration::seconds(10)));
  EXPECT_EQ(clock.mono(at(Duration::seconds(60))), undisturbed.mono(at(Duration::seconds(10))));
  EXPECT_EQ(clock.when(clock.mono(at(Duration::seconds(60))) + Duration::nanos(1)), TrueTime::max());
  clock.wake(at(Duration::seconds(60)));
  EXPECT_EQ(clock.wall(at(Duration::seconds(70))), undisturbed.wall(at(Duration::seconds(70))));
  const Duration lost =
      undisturbed.mono(at(Duration::seconds(60))) - undisturbed.mono(at(Duration::seconds(10)));
  EXPECT_EQ(clock.mono(at(Duration::seconds(70))), undisturbed.mono(at(Duration::seconds(70))) - lost);
  const MonoTime later = clock.mono(at(Duration::seconds(80)));
  EXPECT_EQ(clock.mono(clock.when(later)), later);
}

TEST(NodeClock, stands_still_whatever_its_own_rate_and_runs_on_from_there) {
  NodeClock clock(MonoTime{}, WallTime{}, 250);
  clock.disturb_rate(at(Duration::seconds(10)), RateClock::kStill);
  const MonoTime stood = clock.mono(at(Duration::seconds(10)));
  EXPECT_EQ(clock.mono(at(Duration::hours(1))), stood);
  clock.disturb_rate(at(Duration::hours(1)), 0);
  EXPECT_EQ(clock.mono(at(Duration::hours(1) + Duration::seconds(1))),
            stood + Duration::nanos(1'000'250'000));
}

}  // namespace
}  // namespace tenure::sim
