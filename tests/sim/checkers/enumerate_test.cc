// The enumerator and the sets that fires are kept in, against the plainest way to do the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/checkers/range_set.h"
#include "sim/checkers/slot_set.h"
#include "sim/checkers/slots.h"

namespace tenure::sim {
namespace {

StoreTime micros(std::int64_t n) { return StoreTime::from_ns(n * 1'000); }

Slots grid(std::int64_t start, std::int64_t period) {
  return Slots{
      Definition{.recurrence = Interval{.start = micros(start), .period = Duration::micros(period)}}};
}

RC_GTEST_PROP(Slots, agrees_with_counting, ()) {
  const auto start = *rc::gen::inRange<std::int64_t>(-50, 50);
  const auto period = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto from = *rc::gen::inRange<std::int64_t>(-100, 200);
  const auto to = *rc::gen::inRange<std::int64_t>(-100, 200);
  std::set<std::int64_t> slots;
  for (std::int64_t slot = start; slot < 300; slot += period) slots.insert(slot);

  const Slots tested = grid(start, period);
  RC_ASSERT(tested.has(micros(from)) == slots.contains(from));
  RC_ASSERT(tested.at_or_after(micros(from)) == micros(*slots.lower_bound(from)));
  const auto next = slots.lower_bound(from);
  if (next == slots.begin()) {
    RC_ASSERT(!tested.before(micros(from)).has_value());
  } else {
    RC_ASSERT(tested.before(micros(from)) == micros(*std::prev(next)));
  }
  const auto count = from >= to ? 0 : std::distance(slots.lower_bound(from), slots.lower_bound(to));
  RC_ASSERT(tested.count(micros(from), micros(to)) == static_cast<std::uint64_t>(count));
}

TEST(Slots, without_a_definition_has_no_slots) {
  EXPECT_FALSE(Slots{}.has(StoreTime{}));
  EXPECT_FALSE(Slots{}.at_or_after(StoreTime{}).has_value());
  EXPECT_EQ(Slots{}.count(StoreTime{}, micros(1'000)), 0u);
}

TEST(Slots, ends_with_time_itself) {
  const Slots tested = grid(0, 1'000'000);
  EXPECT_FALSE(tested.at_or_after(StoreTime::max()).has_value());
  EXPECT_TRUE(tested.before(StoreTime::max()).has_value());
}

RC_GTEST_PROP(SlotSet, agrees_with_a_plain_set, ()) {
  const auto period = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto added = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 40));
  SlotSet tested;
  std::set<std::int64_t> plain;
  for (const std::int64_t n : added) {
    // Some stand alone, off the grid.
    const bool alone = n % 7 == 0;
    const std::int64_t slot = alone ? n * period * 10 + 1 : n * period * 10;
    const Duration distance = alone ? Duration{} : Duration::micros(period * 10);
    RC_ASSERT(tested.add(micros(slot), {distance}) == plain.insert(slot).second);
  }
  for (std::int64_t time = 0; time < 40 * 30; ++time)
    RC_ASSERT(tested.contains(micros(time)) == plain.contains(time));
  RC_ASSERT(tested.last().has_value() == !plain.empty());
  if (!plain.empty()) RC_ASSERT(tested.last() == micros(*plain.rbegin()));

  const auto from = *rc::gen::inRange<std::int64_t>(0, 40);
  std::int64_t missing = from * period * 10;
  while (missing < 500 && plain.contains(missing)) missing += period * 10;
  const StoreTime expected = std::min(micros(missing), micros(500));
  if (from * period * 10 < 500) {
    RC_ASSERT(tested.first_missing(micros(from * period * 10), micros(500), grid(0, period * 10)) ==
              expected);
  }
}

TEST(SlotSet, keeps_consecutive_slots_as_one_run_in_whatever_order_they_come) {
  SlotSet set;
  const Duration period = Duration::seconds(10);
  for (std::int64_t n = 0; n < 100'000; ++n) {
    const std::int64_t swapped = n ^ 1;  // each pair the other way round
    EXPECT_TRUE(set.add(StoreTime::from_ns((period * swapped).ns()), {period}));
  }
  EXPECT_EQ(set.runs(), 1u);
}

TEST(SlotSet, forgets_the_oldest_when_nothing_joins) {
  SlotSet set;
  for (std::int64_t n = 0; n < 5'000; ++n) set.add(micros(n * n), {});
  EXPECT_EQ(set.runs(), SlotSet::kMaxRuns);
  EXPECT_TRUE(set.contains(micros(4'999 * 4'999)));
  EXPECT_FALSE(set.contains(micros(0)));
}

RC_GTEST_PROP(RangeSet, agrees_with_a_plain_set, ()) {
  RangeSet tested;
  std::set<std::int64_t> plain;
  const auto ranges = *rc::gen::container<std::vector<std::pair<std::int64_t, std::int64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 60), rc::gen::inRange<std::int64_t>(0, 60)));
  for (const auto& [from, to] : ranges) {
    tested.add({micros(from), micros(to)});
    for (std::int64_t t = from; t < to; ++t) plain.insert(t);
  }
  const auto from = *rc::gen::inRange<std::int64_t>(0, 60);
  const auto to = *rc::gen::inRange<std::int64_t>(from, 61);
  const auto first = [&](bool covered) {
    std::int64_t begin = from;
    while (begin < to && plain.contains(begin) != covered) ++begin;
    std::int64_t end = begin;
    while (end < to && plain.contains(end) == covered) ++end;
    return StoreRange{micros(begin), micros(end)};
  };
  RC_ASSERT(tested.first_overlap({micros(from), micros(to)}) == first(true));
  RC_ASSERT(tested.first_gap({micros(from), micros(to)}) == first(false));
}

TEST(RangeSet, keeps_ranges_that_touch_as_one) {
  RangeSet set;
  for (std::int64_t n = 0; n < 1'000; ++n) set.add({micros(n), micros(n + 1)});
  EXPECT_EQ(set.size(), 1u);
}

}  // namespace
}  // namespace tenure::sim
