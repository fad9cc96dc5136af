#include "core/scheduler/fenced_outbox/clock_watch.h"

#include <gtest/gtest.h>

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

TEST_F(ClockWatchTest, lets_fire_while_the_clock_is_steady) {
  sample(0, {});
  sample(5, {});
  EXPECT_TRUE(watch_.may_fire());
  EXPECT_FALSE(watch_.wants_hold());
}

TEST_F(ClockWatchTest, stops_at_a_jump_and_tells_it_once) {
  sample(0, {});
  sample(5, kAnHour);
  EXPECT_FALSE(watch_.may_fire());
  EXPECT_TRUE(watch_.wants_hold());
  ASSERT_TRUE(watch_.take_news().has_value());
  EXPECT_FALSE(watch_.take_news().has_value());
  EXPECT_GT(watch_.jump(), kAnHour - Duration::millis(10));
}

TEST_F(ClockWatchTest, wants_no_second_hold) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  EXPECT_FALSE(watch_.wants_hold());
  EXPECT_FALSE(watch_.may_resume());
}

TEST_F(ClockWatchTest, resumes_when_the_offset_is_back) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true, true);
  sample(10, kAnHour);
  EXPECT_FALSE(watch_.may_resume());
  sample(15, {});
  EXPECT_TRUE(watch_.may_resume());
  hold(false, true);
  EXPECT_TRUE(watch_.may_fire());
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

TEST_F(ClockWatchTest, respects_a_hold_that_another_instance_set) {
  sample(0, {});
  hold(true);
  EXPECT_FALSE(watch_.may_fire());
  sample(59, {});
  EXPECT_FALSE(watch_.may_resume());
  sample(61, {});
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

TEST_F(ClockWatchTest, whoever_lifts_the_hold_has_judged_the_clock) {
  sample(0, {});
  sample(5, kAnHour);
  hold(true);
  hold(false);
  EXPECT_TRUE(watch_.may_fire());
  EXPECT_FALSE(watch_.wants_hold());
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

}  // namespace
}  // namespace tenure
