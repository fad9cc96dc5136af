#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <vector>

#include "core/base/check.h"
#include "core/schedule/definition.h"

namespace tenure::recurrence_tests {
namespace {

constexpr Duration kMicro = Duration::micros(1);

StoreTime at_us(std::int64_t us) { return StoreTime{} + Duration::micros(us); }
Recurrence every(Duration period, StoreTime start) { return Interval{.start = start, .period = period}; }

TEST(Interval, has_its_start_as_its_first_slot) {
  const Recurrence r = every(Duration::micros(10), at_us(100));
  EXPECT_EQ(slot_at_or_after(r, at_us(-5'000)), at_us(100));
  EXPECT_EQ(slot_at_or_after(r, at_us(99)), at_us(100));
  EXPECT_EQ(slot_at_or_after(r, at_us(100)), at_us(100));
  EXPECT_EQ(slot_before(r, at_us(100)), std::nullopt);
  EXPECT_EQ(slot_before(r, at_us(101)), at_us(100));
}

TEST(Interval, gives_a_slot_itself_at_it_and_the_next_one_after_it) {
  const Recurrence r = every(Duration::micros(10), at_us(100));
  EXPECT_EQ(slot_at_or_after(r, at_us(120)), at_us(120));
  EXPECT_EQ(slot_at_or_after(r, at_us(121)), at_us(130));
  EXPECT_EQ(slot_after(r, at_us(120)), at_us(130));
  EXPECT_EQ(slot_after(r, at_us(119)), at_us(120));
  EXPECT_EQ(slot_before(r, at_us(120)), at_us(110));
  EXPECT_EQ(slot_before(r, at_us(121)), at_us(120));
}

TEST(Interval, is_exact_before_the_epoch) {
  const Recurrence r = every(Duration::micros(10), at_us(-1'005));
  EXPECT_EQ(slot_at_or_after(r, at_us(-1'000)), at_us(-995));
  EXPECT_EQ(slot_before(r, at_us(0)), at_us(-5));
  EXPECT_EQ(slot_at_or_after(r, at_us(0)), at_us(5));
}

TEST(Interval, never_goes_beyond_the_end_of_time) {
  const StoreTime last = StoreTime::max() - kMicro;
  const Recurrence r = every(Duration::hours(1), last - Duration::hours(1));
  EXPECT_EQ(slot_at_or_after(r, last), last);
  EXPECT_EQ(slot_after(r, last), std::nullopt);
  EXPECT_EQ(slot_at_or_after(r, StoreTime::max()), std::nullopt);
  EXPECT_EQ(slot_after(r, StoreTime::max()), std::nullopt);
  EXPECT_EQ(slot_before(r, StoreTime::max()), last);
}

TEST(Interval, has_no_slot_at_the_end_of_time_which_means_never) {
  EXPECT_EQ(slot_at_or_after(every(Duration::hours(1), StoreTime::max()), StoreTime{}), std::nullopt);
  EXPECT_EQ(slot_after(every(kMicro, StoreTime{}), StoreTime::max() - kMicro), std::nullopt);
}

TEST(Interval, spans_all_of_time_without_overflow) {
  const StoreTime first = StoreTime::min();
  const Recurrence r = every(kMicro, first);
  EXPECT_EQ(slot_at_or_after(r, at_us(7)), at_us(7));
  EXPECT_EQ(slot_before(r, StoreTime::max()), StoreTime::max() - kMicro);
  const Recurrence rare = every(Duration::nanos(9'000'000'000'000'000'000), first);
  EXPECT_EQ(slot_at_or_after(rare, first + kMicro),
            StoreTime::from_ns(first.ns() + 9'000'000'000'000'000'000));
  EXPECT_EQ(slot_before(rare, StoreTime::max()), StoreTime::from_ns(first.ns() + 9'000'000'000'000'000'000) +
                                                     Duration::nanos(9'000'000'000'000'000'000));
}

TEST(Interval, must_have_a_positive_period_in_whole_microseconds) {
  CheckHandler const before = set_check_handler([](const CheckFailure&) { throw std::logic_error("check"); });
  for (const std::int64_t ns : {0LL, -1'000LL, 1'500LL}) {
    EXPECT_THROW(slot_at_or_after(every(Duration::nanos(ns), StoreTime{}), StoreTime{}), std::logic_error);
    EXPECT_THROW(slot_before(every(Duration::nanos(ns), StoreTime{}), StoreTime{}), std::logic_error);
  }
  set_check_handler(before);
}

// The same questions, answered from a list made by adding up.
RC_GTEST_PROP(IntervalProperty, agrees_with_the_list_of_its_slots, ()) {
  const auto start = at_us(*rc::gen::inRange(-50, 50));
  const auto period = Duration::micros(*rc::gen::inRange(1, 20));
  const auto asked = at_us(*rc::gen::inRange(-80, 120));
  const Recurrence r = every(period, start);

  std::vector<StoreTime> slots;
  for (StoreTime slot = start; slot < at_us(200); slot += period) slots.push_back(slot);
  std::optional<StoreTime> at_or_after;
  std::optional<StoreTime> after;
  std::optional<StoreTime> before;
  for (const StoreTime slot : slots) {
    if (!at_or_after && slot >= asked) at_or_after = slot;
    if (!after && slot > asked) after = slot;
    if (slot < asked) before = slot;
  }
  RC_ASSERT(slot_at_or_after(r, asked) == at_or_after);
  RC_ASSERT(slot_after(r, asked) == after);
  RC_ASSERT(slot_before(r, asked) == before);
}

RC_GTEST_PROP(IntervalProperty, does_not_drift_over_any_distance, (std::int64_t start_us)) {
  const auto start = at_us(start_us % 1'000'000'000'000'000);
  const auto period_us = *rc::gen::inRange<std::int64_t>(1, 10'000'000'000);
  const auto n = *rc::gen::inRange<std::int64_t>(0, 100'000);
  const Recurrence r = every(Duration::micros(period_us), start);
  const StoreTime slot = start + Duration::micros(period_us) * n;
  RC_PRE(slot < StoreTime::max());
  RC_ASSERT(slot_at_or_after(r, slot) == slot);
  RC_ASSERT(slot_before(r, slot + kMicro) == slot);
}

TEST(Definition, hashes_by_every_field) {
  const Definition base{
      .recurrence = every(Duration::seconds(1), StoreTime{}), .misfire = {}, .paused = false};
  std::vector<Definition> all(6, base);
  all[1].recurrence = every(Duration::seconds(2), StoreTime{});
  all[2].recurrence = every(Duration::seconds(1), at_us(1));
  all[3].misfire.policy = Misfire::Policy::skip;
  all[4].misfire.grace = Duration::seconds(1);
  all[5].paused = true;
  std::vector<std::uint64_t> hashes;
  for (const Definition& definition : all) {
    Hasher hasher;
    add(hasher, definition);
    for (const std::uint64_t other : hashes) EXPECT_NE(hasher.value(), other);
    hashes.push_back(hasher.value());
  }
}

}  // namespace
}  // namespace tenure::recurrence_tests
