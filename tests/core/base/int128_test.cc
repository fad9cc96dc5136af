#include "core/base/int128.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/base/time.h"

namespace tenure {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

TEST(MulDiv, rounds_to_the_side_that_it_says) {
  EXPECT_EQ(mul_div_floor(7, 1, 2), 3);
  EXPECT_EQ(mul_div_ceil(7, 1, 2), 4);
  EXPECT_EQ(mul_div_floor(-7, 1, 2), -4);
  EXPECT_EQ(mul_div_ceil(-7, 1, 2), -3);
  EXPECT_EQ(mul_div_floor(7, -1, 2), -4);
  EXPECT_EQ(mul_div_ceil(7, -1, 2), -3);
}

TEST(MulDiv, an_exact_quotient_is_not_rounded) {
  EXPECT_EQ(mul_div_floor(6, 1, 2), 3);
  EXPECT_EQ(mul_div_ceil(6, 1, 2), 3);
  EXPECT_EQ(mul_div_floor(-6, 1, 2), -3);
  EXPECT_EQ(mul_div_ceil(-6, 1, 2), -3);
  EXPECT_EQ(mul_div_ceil(0, 5, 7), 0);
}

// A lease of T held at (1e6 - ppm) / 1e6 of its length: T * 999'500 leaves 64 bits from 2.56 hours on.
TEST(MulDiv, a_lease_longer_than_2_56_hours_times_parts_per_million_does_not_overflow) {
  const std::int64_t rate = kMillion - 500;
  const Duration lease = Duration::hours(24);
  std::int64_t product = 0;
  ASSERT_TRUE(__builtin_mul_overflow(lease.ns(), rate, &product)) << "64 bits would do, and the test is void";
  EXPECT_EQ(mul_div_floor(lease.ns(), rate, kMillion), (lease - Duration::millis(43'200)).ns());

  const Duration last_good = Duration::nanos(INT64_MAX / kMillion);
  EXPECT_FALSE(__builtin_mul_overflow(last_good.ns(), kMillion, &product));
  EXPECT_TRUE(__builtin_mul_overflow((last_good + Duration::nanos(1)).ns(), kMillion, &product));
  EXPECT_EQ(last_good / Duration::minutes(1), 153) << "2.56 hours";
}

TEST(MulDiv, saturates_when_the_quotient_does_not_fit) {
  EXPECT_EQ(mul_div_floor(INT64_MAX, 2, 1), INT64_MAX);
  EXPECT_EQ(mul_div_ceil(INT64_MIN, 2, 1), INT64_MIN);
  EXPECT_EQ(mul_div_floor(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
}

RC_GTEST_PROP(MulDiv, floor_and_ceil_enclose_the_quotient_as_closely_as_whole_numbers_can,
              (std::int32_t value, std::int32_t numerator)) {
  const std::int64_t denominator = *rc::gen::inRange<std::int64_t>(1, 3 * kMillion);
  const int128 product = static_cast<int128>(value) * numerator;
  const std::int64_t low = mul_div_floor(value, numerator, denominator);
  const std::int64_t high = mul_div_ceil(value, numerator, denominator);
  RC_ASSERT(static_cast<int128>(low) * denominator <= product);
  RC_ASSERT(static_cast<int128>(high) * denominator >= product);
  RC_ASSERT(high - low == (product % denominator == 0 ? 0 : 1));
}

}  // namespace
}  // namespace tenure
