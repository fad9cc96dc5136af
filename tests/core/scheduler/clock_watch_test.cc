#include "core/scheduler/fenced_outbox/clock_watch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/base/int128.h"

namespace tenure {
namespace {

constexpr Duration kHold = Duration::seconds(60);
constexpr Duration kAnHour = Duration::hours(1);

// A watch whose replies take 2 ms, with the store's clock `offset` ahead.
class ClockWatchTest : public ::testing::Test {
 protected:
  void sample(std::int64_t second, Duration offset) {
    now_ = MonoTime{} + Duration::seconds(second);
    const StoreTime reading = StoreTime{} + (now_ - MonoTime{}) + offset;
    watch_.observe(now_, now_ + Duration::millis(2), reading + Duration::millis(1));
  }
  void hold(bool held, bool own = false) { watch_.see_hold(held, own, now_); }

  ClockWatch watch_{StoreClockEstimate{500, Duration::millis(500)}, kHold};
  MonoTime now_;
};

TEST_F(ClockWatchTest, wants_no_second_hold) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  EXPECT_FALSE(watch_.wants_hold());
  EXPECT_FALSE(watch_.may_resume());
}

TEST_F(ClockWatchTest, a_partial_return_is_no_return) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  sample(15, Duration::minutes(30));
  EXPECT_FALSE(watch_.may_resume());
}

TEST_F(ClockWatchTest, resumes_when_the_new_offset_has_held_for_clock_hold) {
  sample(0, {});
  sample(5, -kAnHour);
  hold(true, true);
  for (std::int64_t second = 10; second <= 65; second += 5) {
    EXPECT_FALSE(watch_.may_resume()) << second;
    sample(second, -kAnHour);
  }
  sample(66, -kAnHour);
  EXPECT_TRUE(watch_.may_resume());
}

TEST_F(ClockWatchTest, time_without_a_sample_proves_nothing) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  // The store is silent for an hour; its first word is of another jump.
  sample(3'600, kAnHour + kAnHour);
  EXPECT_FALSE(watch_.may_resume());
}

TEST_F(ClockWatchTest, a_second_jump_starts_the_wait_anew) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  sample(60, kAnHour + kAnHour);
  sample(70, kAnHour + kAnHour);
  EXPECT_FALSE(watch_.may_resume());
  sample(121, kAnHour + kAnHour);
  EXPECT_TRUE(watch_.may_resume());
}

TEST_F(ClockWatchTest, a_fresh_instance_waits_from_when_it_first_saw_the_hold) {
  sample(100, kAnHour);
  hold(true);
  sample(130, kAnHour);
  EXPECT_FALSE(watch_.may_resume());
  sample(161, kAnHour);
  EXPECT_TRUE(watch_.may_resume());
}

TEST_F(ClockWatchTest, remembers_a_jump_that_no_leader_has_written_down) {
  sample(0, {});
  sample(5, kAnHour);
  hold(false);  // the feed says that there is none yet
  sample(10, kAnHour);
  EXPECT_TRUE(watch_.wants_hold());
  sample(70, kAnHour);  // by now the new offset is the normal one
  EXPECT_FALSE(watch_.wants_hold());
  EXPECT_TRUE(watch_.may_fire());
}

TEST_F(ClockWatchTest, a_hold_that_comes_after_its_cause_is_lifted_at_once) {
  sample(0, {});
  sample(5, kAnHour);
  sample(6, {});  // back before the answer to our request
  hold(true, true);
  EXPECT_TRUE(watch_.may_resume());
}

// ---- the estimate ----------------------------------------------------------------------------------------

constexpr std::int64_t kPpm = 500;
constexpr Duration kTolerance = Duration::millis(500);
constexpr Duration kOffset = Duration::hours(1'000);

MonoTime mono(std::int64_t ms) { return MonoTime{} + Duration::millis(ms); }
StoreTime store(std::int64_t ms) { return StoreTime{} + kOffset + Duration::millis(ms); }

StoreClockEstimate estimate() { return StoreClockEstimate{kPpm, kTolerance}; }

TEST(StoreClockEstimate, knows_nothing_before_the_first_reply) { EXPECT_FALSE(estimate().known()); }

TEST(StoreClockEstimate, takes_the_store_to_have_answered_at_the_last_moment) {
  auto clock = estimate();
  EXPECT_EQ(clock.observe(mono(100), mono(110), store(104)), Duration{});
  EXPECT_EQ(clock.earliest(mono(110)), store(104));
  EXPECT_EQ(clock.earliest(mono(1'110)), store(1'104));
  EXPECT_EQ(clock.when(store(1'104)), mono(1'110));
}

TEST(StoreClockEstimate, keeps_the_tightest_of_its_samples) {
  auto clock = estimate();
  clock.observe(mono(100), mono(101), store(100));
  clock.observe(mono(200), mono(600), store(300));  // says little
  EXPECT_GE(clock.earliest(mono(600)), store(598));
  clock.observe(mono(700), mono(702), store(702));  // the answer took no time
  EXPECT_EQ(clock.earliest(mono(702)), store(702));
}

TEST(StoreClockEstimate, tells_a_jump_by_its_length) {
  for (const Duration jump :
       {Duration::hours(1), Duration::millis(700), -Duration::hours(1), -Duration::millis(700)}) {
    auto clock = estimate();
    clock.observe(mono(100), mono(102), store(101));
    const Duration seen = clock.observe(mono(200), mono(202), store(201) + jump);
    EXPECT_LE(seen, jump + Duration::millis(3)) << jump.ns();
    EXPECT_GE(seen, jump - Duration::millis(3)) << jump.ns();
    EXPECT_EQ(clock.earliest(mono(202)), store(201) + jump);  // and goes by the new offset from then on
    EXPECT_EQ(clock.observe(mono(300), mono(302), store(301) + jump), Duration{});
  }
}

TEST(StoreClockEstimate, follows_a_step_within_the_tolerance_without_a_word) {
  for (const Duration step : {Duration::millis(450), -Duration::millis(450)}) {
    auto clock = estimate();
    clock.observe(mono(100), mono(102), store(101));
    EXPECT_EQ(clock.observe(mono(200), mono(202), store(201) + step), Duration{});
    EXPECT_EQ(clock.earliest(mono(202)), store(201) + step);
  }
}

TEST(StoreClockEstimate, a_slow_reply_hides_a_jump_and_the_next_quick_one_tells) {
  auto clock = estimate();
  clock.observe(mono(100), mono(102), store(101));
  EXPECT_EQ(clock.observe(mono(200), mono(3'200), store(1'000) + Duration::seconds(1)), Duration{});
  EXPECT_GT(clock.observe(mono(3'300), mono(3'302), store(3'301) + Duration::seconds(1)),
            Duration::millis(900));
}

TEST(StoreClockEstimate, a_slow_reply_leaves_room_for_the_drift_meanwhile) {
  StoreClockEstimate clock{kPpm, Duration{}};
  clock.observe(mono(0), mono(10'000), store(0));  // executed as soon as it was sent
  // Since then the store's clock has run ahead by nearly as much as two clocks may run apart.
  EXPECT_EQ(clock.observe(mono(10'000), mono(10'000), store(10'009)), Duration{});
}

TEST(StoreClockEstimate, survives_the_ends_of_time) {
  auto clock = estimate();
  clock.observe(MonoTime::min(), MonoTime::max(), StoreTime::max());
  clock.observe(MonoTime::max(), MonoTime::min(), StoreTime::min());
  clock.observe(MonoTime::min(), MonoTime::min(), StoreTime::max());
  EXPECT_TRUE(clock.known());
  static_cast<void>(clock.earliest(MonoTime::max()));
  static_cast<void>(clock.when(StoreTime::max()));
}

RC_GTEST_PROP(StoreClockEstimateProperty, when_is_the_first_moment_at_which_the_time_is_reached, ()) {
  auto clock = estimate();
  const auto at = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  clock.observe(MonoTime::from_ns(at),
                MonoTime::from_ns(at + *rc::gen::inRange<std::int64_t>(0, 1'000'000'000)),
                StoreTime::from_ns(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)));
  const StoreTime slot = StoreTime::from_ns(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  const MonoTime when = clock.when(slot);
  RC_ASSERT(clock.earliest(when) >= slot);
  RC_ASSERT(clock.earliest(when - Duration::nanos(1)) < slot);
}

// Two clocks within their bounds, and replies that take any time: no alarm, and the truth is in the range.
RC_GTEST_PROP(StoreClockEstimateProperty, drift_within_the_bound_is_never_a_jump, ()) {
  const std::int64_t store_ppm = *rc::gen::inRange<std::int64_t>(-kPpm, kPpm + 1);
  const std::int64_t mono_ppm = *rc::gen::inRange<std::int64_t>(-kPpm, kPpm + 1);
  const auto read = [](std::int64_t ns, std::int64_t ppm) { return ns + mul_div_floor(ns, ppm, 1'000'000); };
  StoreClockEstimate clock{kPpm, Duration{}};
  std::int64_t now = 0;
  const auto gaps = *rc::gen::nonEmpty<std::vector<std::int64_t>>(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 30'000'000'000)));
  for (const std::int64_t gap : gaps) {
    const std::int64_t sent = now += gap;
    const std::int64_t applied = now += *rc::gen::inRange<std::int64_t>(0, 2'000'000'000);
    now += *rc::gen::inRange<std::int64_t>(0, 2'000'000'000);
    const MonoTime here = MonoTime::from_ns(read(now, mono_ppm));
    const StoreTime reading = StoreTime::from_ns(kOffset.ns() + read(applied, store_ppm));
    RC_ASSERT(clock.observe(MonoTime::from_ns(read(sent, mono_ppm)), here, reading) == Duration{});
    const Duration truth = Duration::nanos(kOffset.ns() + read(now, store_ppm) - here.ns());
    const OffsetRange range = clock.range_at(here);
    // Readings are rounded down to whole microseconds here and there.
    RC_ASSERT(range.low <= truth + Duration::micros(2));
    RC_ASSERT(truth <= range.high + Duration::micros(2));
  }
}

}  // namespace
}  // namespace tenure
