// The enumerator and the sets that fires are kept in, against the plainest way to do the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/checkers/oracle/slots.h"
#include "sim/checkers/trackers/range_set.h"
#include "sim/checkers/trackers/slot_set.h"

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
  if (slots.contains(from)) RC_ASSERT(tested.after(micros(from)) == micros(*slots.upper_bound(from)));
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
  EXPECT_FALSE(tested.after(*tested.before(StoreTime::max())).has_value());
}

// Slots of two grids, and some that are off both: what is a slot of both is one slot, whichever it was added under.
RC_GTEST_PROP(SlotSet, agrees_with_a_plain_set, ()) {
  const std::vector<Slots> grids{grid(0, *rc::gen::inRange<std::int64_t>(1, 4) * 10),
                                 grid(*rc::gen::inRange<std::int64_t>(0, 3) * 10, 20)};
  const auto added = *rc::gen::container<std::vector<std::pair<std::int64_t, int>>>(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 40), rc::gen::inRange(0, 3)));
  SlotSet tested;
  std::set<std::int64_t> plain;
  for (const auto& [n, under] : added) {
    const std::int64_t slot = n % 7 == 0 ? n * 10 + 1 : n * 10;
    const Slots* slots = under < 2 ? &grids[static_cast<std::size_t>(under)] : nullptr;
    const bool fresh = tested.add_next(micros(slot)) || tested.add(micros(slot), slots);
    RC_ASSERT(fresh == plain.insert(slot).second);
  }
  for (std::int64_t time = 0; time < 420; ++time)
    RC_ASSERT(tested.contains(micros(time)) == plain.contains(time));

  const auto from = *rc::gen::inRange<std::int64_t>(0, 400);
  for (const Slots& slots : grids) {
    std::int64_t missing = from;
    while (missing < 500 && (plain.contains(missing) || !slots.has(micros(missing)))) ++missing;
    RC_ASSERT(tested.first_missing(micros(from), micros(500), slots) == micros(missing));
    std::uint64_t here = 0;
    for (const std::int64_t slot : plain) here += slot >= from && slots.has(micros(slot)) ? 1 : 0;
    RC_ASSERT(tested.count(micros(from), micros(500), slots) == here);
  }
}

TEST(SlotSet, keeps_consecutive_slots_as_one_range_in_whatever_order_they_come) {
  SlotSet set;
  const Slots slots = grid(0, 10'000'000);
  for (std::int64_t n = 0; n < 100'000; ++n) {
    const std::int64_t swapped = n ^ 1;  // each pair the other way round
    EXPECT_TRUE(set.add(micros(10'000'000 * swapped), &slots));
  }
  EXPECT_EQ(set.ranges(), 1u);
}

TEST(SlotSet, forgets_nothing_though_nothing_joins) {
  for (const std::int64_t many : {5'000, 50'000, 200'000}) {
    SlotSet set;
    const Slots slots = grid(0, 1);
    for (std::int64_t n = 0; n < many; ++n) set.add(micros(3 * n), n % 2 == 0 ? &slots : nullptr);
    for (std::int64_t n = 0; n < many; ++n) ASSERT_FALSE(set.add(micros(3 * n), &slots)) << n;
    EXPECT_FALSE(set.contains(micros(1)));
  }
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
  for (std::int64_t time = 0; time < 61; ++time)
    RC_ASSERT(tested.contains(micros(time)) == plain.contains(time));
}

TEST(RangeSet, keeps_ranges_that_touch_as_one) {
  RangeSet set;
  for (std::int64_t n = 0; n < 1'000; ++n) set.add({micros(n), micros(n + 1)});
  EXPECT_EQ(set.size(), 1u);
}

}  // namespace
}  // namespace tenure::sim
