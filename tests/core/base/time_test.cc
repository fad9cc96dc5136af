#include "core/base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <concepts>
#include <vector>

#include "core/base/int128.h"
#include "sim/kernel/true_time.h"

namespace tenure {
namespace {

using sim::TrueTime;

// ---- two clocks do not mix -------------------------------------------------------------------------------

template <class A, class B>
concept Subtractable = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
}
|| requires(A a, B b) { a == b; };

template <class A, class B>
constexpr bool apart() {
  return !std::convertible_to<A, B> && !std::constructible_from<B, A> && !std::assignable_from<B&, A> &&
         !Subtractable<A, B> && !Comparable<A, B>;
}
template <class A, class... Others>
constexpr bool apart_from_all() {
  return (apart<A, Others>() && ...) && (apart<Others, A>() && ...);
}

static_assert(apart_from_all<MonoTime, WallTime, StoreTime, TrueTime>());
static_assert(apart_from_all<WallTime, StoreTime, TrueTime>());
static_assert(apart_from_all<StoreTime, TrueTime>());
static_assert(Subtractable<MonoTime, MonoTime> && Comparable<MonoTime, MonoTime>, "the concepts can be met");

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<MonoTime, Duration> && !Addable<MonoTime, MonoTime>, "two points have no sum");
static_assert(!std::convertible_to<int, Duration> && !std::convertible_to<long, MonoTime>,
              "a number has no unit");

// ---- durations -------------------------------------------------------------------------------------------

TEST(Duration, units_are_multiples_of_nanoseconds) {
  EXPECT_EQ(Duration::micros(1).ns(), 1'000);
  EXPECT_EQ(Duration::millis(1), Duration::micros(1'000));
  EXPECT_EQ(Duration::seconds(1), Duration::millis(1'000));
  EXPECT_EQ(Duration::minutes(1), Duration::seconds(60));
  EXPECT_EQ(Duration::hours(1), Duration::minutes(60));
  EXPECT_EQ(Duration{}, Duration::nanos(0));
}

TEST(Duration, division_truncates_and_counts) {
  EXPECT_EQ(Duration::nanos(7) / 2, Duration::nanos(3));
  EXPECT_EQ(Duration::seconds(10) / Duration::seconds(3), 3);
  EXPECT_EQ(-Duration::seconds(10) / Duration::seconds(3), -3);
}

TEST(Duration, arithmetic_stays_at_the_ends_instead_of_wrapping) {
  EXPECT_EQ(Duration::max() + Duration::nanos(1), Duration::max());
  EXPECT_EQ(Duration::nanos(INT64_MIN) - Duration::nanos(1), Duration::nanos(INT64_MIN));
  EXPECT_EQ(-Duration::nanos(INT64_MIN), Duration::max());
  EXPECT_EQ(Duration::hours(1) * INT64_MAX, Duration::max());
  EXPECT_EQ(Duration::hours(-1) * INT64_MAX, Duration::nanos(INT64_MIN));
  EXPECT_EQ(Duration::seconds(INT64_MAX), Duration::max());
  EXPECT_EQ(Duration::seconds(INT64_MIN), Duration::nanos(INT64_MIN));
}

// The exact result, clamped to what fits.
std::int64_t clamped(int128 exact) {
  return static_cast<std::int64_t>(exact > INT64_MAX ? INT64_MAX : exact < INT64_MIN ? INT64_MIN : exact);
}

RC_GTEST_PROP(Duration, sum_difference_and_product_are_exact_or_clamped, ()) {
  // Drawn so that both ends are met often, and the middle too.
  const auto number =
      rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(-1'000, 1'000),
                     rc::gen::elementOf(std::vector<std::int64_t>{INT64_MAX, INT64_MIN, INT64_MAX - 1}));
  const std::int64_t x = *number;
  const std::int64_t y = *number;
  RC_ASSERT((Duration::nanos(x) + Duration::nanos(y)).ns() == clamped(int128{x} + y));
  RC_ASSERT((Duration::nanos(x) - Duration::nanos(y)).ns() == clamped(int128{x} - y));
  RC_ASSERT((Duration::nanos(x) * y).ns() == clamped(int128{x} * y));
}

// ---- points in time --------------------------------------------------------------------------------------

TEST(TimePoint, never_stays_never) {
  EXPECT_EQ(MonoTime::max() + Duration::hours(1), MonoTime::max());
  EXPECT_GT(MonoTime::max(), MonoTime::from_ns(INT64_MAX - 1));
  EXPECT_EQ(MonoTime::min() - Duration::hours(1), MonoTime::from_ns(INT64_MIN));
  EXPECT_EQ(StoreTime::max() + Duration::hours(1), StoreTime::max());
}

TEST(TimePoint, the_distance_between_the_ends_saturates) {
  EXPECT_EQ(MonoTime::max() - MonoTime::min(), Duration::max());
  EXPECT_LT(MonoTime::min() - MonoTime::max(), Duration::nanos(INT64_MIN + 10));
}

RC_GTEST_PROP(TimePoint, a_distance_takes_one_point_to_the_other, (std::int32_t a, std::int32_t b)) {
  const MonoTime from = MonoTime::from_ns(a);
  const MonoTime to = MonoTime::from_ns(b);
  RC_ASSERT(from + (to - from) == to);
  RC_ASSERT((from < to) == ((to - from) > Duration{}));
}

TEST(StoreTime, is_in_whole_microseconds_rounded_down_on_both_sides_of_the_epoch) {
  EXPECT_EQ(StoreTime::from_ns(1'999).ns(), 1'000);
  EXPECT_EQ(StoreTime::from_ns(2'000).ns(), 2'000);
  EXPECT_EQ(StoreTime::from_ns(-1).ns(), -1'000);
  EXPECT_EQ(StoreTime::from_ns(-1'000).ns(), -1'000);
}

// A slot kept in nanoseconds would never equal the row that it was written to, and a compare-and-set on it
// would miss for ever. (A row keeps `value / 1'000`.)
RC_GTEST_PROP(StoreTime, survives_a_round_trip_through_a_column_of_microseconds,
              (std::int64_t start, std::int32_t by)) {
  const StoreTime slot = StoreTime::from_ns(start / 2) + Duration::nanos(by);
  RC_ASSERT(slot.ns() % 1'000 == 0);
  const std::int64_t column = slot.ns() / 1'000;
  RC_ASSERT(StoreTime::from_ns(column * 1'000) == slot);
}

// Found by this test: rounding down at the least value wrapped round to the far future.
TEST(StoreTime, rounding_down_never_wraps_at_the_ends) {
  const StoreTime least = StoreTime::min() - Duration::hours(1);
  EXPECT_LT(least, StoreTime::from_ns(0));
  EXPECT_EQ(least.ns() % 1'000, 0);
  EXPECT_EQ(least - Duration::hours(1), least);
  EXPECT_EQ(StoreTime::max().ns() % 1'000, 0);
  EXPECT_GT(StoreTime::max(), StoreTime::from_ns(INT64_MAX - 1'000));
}

}  // namespace
}  // namespace tenure
