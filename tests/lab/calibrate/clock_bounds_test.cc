#include "lab/calibrate/clock_bounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenure::lab {
namespace {

constexpr Duration kMicro = Duration::micros(1);
constexpr std::int64_t kSecond = 1'000'000'000;

// A clock that is `offset` ahead and runs `ppm` fast, read once a second over ways of drawn lengths.
std::vector<ClockReading> readings_of(Duration offset, std::int64_t ppm, int count) {
  std::vector<ClockReading> readings;
  std::uint64_t state = 7;
  const auto drawn = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 40U) % 2'000'000);
  };
  for (int i = 0; i < count; ++i) {
    const std::int64_t sent = i * kSecond;
    const std::int64_t there = drawn();
    const std::int64_t read_at = sent + there;
    const std::int64_t other = read_at + offset.ns() + read_at / 1'000'000 * ppm;
    readings.push_back({1'700'000'000 * kSecond + sent, 50 * kSecond + sent, Duration::nanos(there + drawn()),
                        (1'700'000'000 * kSecond + other) / 1'000 * 1'000});
  }
  return readings;
}

TEST(ClockBounds, hold_the_true_offset_and_rate) {
  for (const std::int64_t ppm : {-500, -3, 0, 40, 900}) {
    for (const Duration offset : {Duration::seconds(-30), Duration{}, Duration::millis(7)}) {
      const ClockBounds bounds = clock_bounds(readings_of(offset, ppm, 60), kMicro);
      EXPECT_LE(bounds.offset.low, offset + Duration::micros(60 * std::max<std::int64_t>(ppm, 0)));
      EXPECT_GE(bounds.offset.high, offset + Duration::micros(60 * std::min<std::int64_t>(ppm, 0)));
      EXPECT_LT(bounds.offset.high - bounds.offset.low, Duration::millis(4));
      ASSERT_TRUE(bounds.rate_ppm);
      EXPECT_LE(bounds.rate_ppm->low, ppm);
      EXPECT_GE(bounds.rate_ppm->high, ppm);
      EXPECT_LT(bounds.rate_ppm->high - bounds.rate_ppm->low, 200);
      EXPECT_FALSE(bounds.stepped);
    }
  }
}

TEST(ClockBounds, are_one_round_trip_wide) {
  const std::vector<ClockReading> one = {
      {1'000 * kSecond, 0, Duration::millis(10), 1'000 * kSecond + 4'000'000}};
  const ClockBounds bounds = clock_bounds(one, kMicro);
  EXPECT_EQ(bounds.offset.low, Duration::millis(-6));
  EXPECT_EQ(bounds.offset.high, Duration::millis(4) + kMicro)
      << "it may have been a microsecond later than it says";
  EXPECT_FALSE(bounds.rate_ppm);
}

// Both clocks run alike; the other one is read at the very departure or the very arrival.
TEST(ClockBounds, of_a_rate_allow_for_the_whole_of_both_trips) {
  const Duration trip = Duration::millis(10);
  const auto rate_of = [&](Duration first_read, Duration last_read) {
    std::vector<ClockReading> readings;
    for (const std::int64_t at : {0, 500, 1'000}) {
      const Duration read = at == 0 ? first_read : last_read;
      readings.push_back({at * kSecond, at * kSecond, trip, at * kSecond + read.ns()});
    }
    return clock_bounds(readings, kMicro).rate_ppm.value();
  };
  EXPECT_LE(rate_of({}, trip).low, 0);
  EXPECT_GE(rate_of({}, trip).low, -1);
  EXPECT_GE(rate_of(trip, {}).high, 0);
  EXPECT_LE(rate_of(trip, {}).high, 1);
}

TEST(ClockBounds, say_no_rate_where_the_time_was_too_short) {
  std::vector<ClockReading> readings = readings_of({}, 0, 60);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const auto back = static_cast<std::int64_t>(i) * (kSecond - 500'000);
    readings[i].wall_ns -= back;
    readings[i].steady_ns -= back;
    readings[i].other_ns -= back;
  }
  EXPECT_FALSE(clock_bounds(readings, kMicro).rate_ppm);
}

TEST(ClockBounds, notice_a_clock_that_was_set) {
  std::vector<ClockReading> readings = readings_of({}, 0, 60);
  for (std::size_t i = 30; i < readings.size(); ++i) readings[i].other_ns += 30 * kSecond;
  const ClockBounds bounds = clock_bounds(readings, kMicro);
  EXPECT_TRUE(bounds.stepped);
  EXPECT_FALSE(bounds.rate_ppm);
}

}  // namespace
}  // namespace tenure::lab
