// The slots of calendars and lists, and the sets that they are kept in, against plain lists.
#include "sim/checkers/oracle/slots.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "sim/checkers/oracle/calendar.h"
#include "sim/checkers/trackers/slot_set.h"
#include "tests/sim/checkers/zones.h"

namespace tenure::sim::slots_tests {
namespace {

constexpr Duration kMicro = Duration::micros(1);
constexpr ScheduleId kSchedule{7};

StoreTime at(std::int64_t seconds) { return StoreTime{} + Duration::seconds(seconds); }
Definition calendar(const char* text, const Zone& zone = TimeZone::utc()) {
  return {.recurrence = CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse(text))),
                                 .zone = zone}};
}
Definition list(std::vector<StoreTime> times) {
  return {.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))}};
}

// Berlin, from a week before the clocks go forward in 2025 to a week after.
constexpr std::int64_t kFrom = 1743296400 - 7 * 86'400;
constexpr std::int64_t kTo = 1743296400 + 7 * 86'400;

StoreTime micros(std::int64_t n) { return StoreTime::from_ns(n * 1'000); }

Slots grid(std::int64_t start, std::int64_t period) {
  return Slots{
      Definition{.recurrence = Interval{.start = micros(start), .period = Duration::micros(period)}}};
}

void expect_slots(const Slots& tested, const std::vector<StoreTime>& all, StoreTime from, StoreTime to) {
  const auto first = std::lower_bound(all.begin(), all.end(), from);
  const auto end = std::lower_bound(all.begin(), all.end(), to);
  RC_ASSERT(tested.has(from) == (first != all.end() && *first == from));
  RC_ASSERT(tested.at_or_after(from) == (first == all.end() ? std::nullopt : std::optional(*first)));
  RC_ASSERT(tested.before(from) == (first == all.begin() ? std::nullopt : std::optional(*(first - 1))));
  RC_ASSERT(tested.count(from, to) == static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(end - first, 0)));
  if (first == all.end()) return;
  RC_ASSERT(tested.has_only(*first, from, to) == (end - first == 1));
  RC_ASSERT(tested.after(*first) == (first + 1 == all.end() ? std::nullopt : std::optional(*(first + 1))));
}

RC_GTEST_PROP(Slots, of_a_calendar_agree_with_its_list, ()) {
  const char* text =
      *rc::gen::element("*/5 * * * *", "30 2 * * *", "0 0 1 * *", "*/7 * 2,3 * * *", "0 9-17 * * MON-FRI");
  Definition definition = calendar(text, berlin());
  definition.not_before = at(*rc::gen::inRange(kFrom, kTo));
  definition.until = at(*rc::gen::inRange(kFrom, kTo)) + kMicro * *rc::gen::inRange(0, 2);
  std::vector<StoreTime> all =
      Calendar(std::get<CronRule>(definition.recurrence)).between(at(kFrom), at(kTo));
  std::erase_if(all,
                [&](StoreTime slot) { return slot < definition.not_before || slot >= definition.until; });
  const Slots tested{definition};
  for (int i = 0; i < 5; ++i) {
    const StoreTime from = at(*rc::gen::inRange(kFrom, kTo));
    expect_slots(tested, all, from, at(*rc::gen::inRange(kFrom, kTo)));
    const auto near = tested.at_or_after(from);
    if (near) expect_slots(tested, all, *near, *near + Duration::seconds(*rc::gen::inRange(0, 4'000)));
  }
}

RC_GTEST_PROP(Slots, of_a_list_are_the_list, ()) {
  const auto drawn =
      *rc::gen::nonEmpty(rc::gen::container<std::set<std::int64_t>>(rc::gen::inRange<std::int64_t>(-50, 50)));
  std::vector<StoreTime> all;
  for (const std::int64_t n : drawn) all.push_back(at(n));
  Definition definition = list(all);
  definition.not_before = at(*rc::gen::inRange(-60, 60));
  definition.until = at(*rc::gen::inRange(-60, 60));
  std::erase_if(all,
                [&](StoreTime slot) { return slot < definition.not_before || slot >= definition.until; });
  expect_slots(Slots{definition}, all, at(*rc::gen::inRange(-60, 60)), at(*rc::gen::inRange(-60, 60)));
}

RC_GTEST_PROP(Slots, of_an_interval_keep_its_grid_within_bounds, ()) {
  const auto start = *rc::gen::inRange(-50, 50);
  const auto period = *rc::gen::inRange(1, 20);
  Definition definition{.recurrence = Interval{.start = at(start), .period = Duration::seconds(period)}};
  definition.not_before = at(*rc::gen::inRange(-60, 60));
  definition.until = at(*rc::gen::inRange(-60, 60));
  std::vector<StoreTime> all;
  for (StoreTime slot = at(start); slot < definition.until; slot += Duration::seconds(period)) {
    if (slot >= definition.not_before) all.push_back(slot);
  }
  expect_slots(Slots{definition}, all, at(*rc::gen::inRange(-60, 60)), at(*rc::gen::inRange(-60, 60)));
}

TEST(Slots, of_a_dense_calendar_go_on_from_page_to_page) {
  const Slots slots{calendar("*/7 * * * * *", berlin())};
  const std::vector<StoreTime> all =
      Calendar(std::get<CronRule>(calendar("*/7 * * * * *", berlin()).recurrence))
          .between(at(kFrom), at(kFrom + 20'000));
  std::vector<StoreTime> walked;
  for (auto slot = slots.at_or_after(at(kFrom)); *slot < at(kFrom + 20'000);
       slot = slots.at_or_after(*slot + kMicro))
    walked.push_back(*slot);
  EXPECT_EQ(walked, all);
  EXPECT_EQ(slots.count(at(kFrom), at(kFrom + 20'000)), all.size());
}

// A row of a journal says what it likes.
TEST(Slots, of_thirty_years_of_seconds_are_counted_at_once) {
  constexpr std::int64_t kYears = std::int64_t{30} * 365 * 24 * 60 * 60;
  const Slots slots{calendar("* * * * * *", berlin())};
  EXPECT_EQ(slots.count(at(kFrom), at(kFrom + kYears)), static_cast<std::uint64_t>(kYears));
}

TEST(Slots, of_a_rare_calendar_are_found_years_away) {
  const Slots leap{calendar("0 0 29 2 MON#5")};  // or: any 29 February, or a fifth Monday of February
  EXPECT_EQ(leap.at_or_after(at(1'767'225'600)), at(1'835'395'200));  // 2028-02-29
  const Slots friday{calendar("0 0 29 2 */5")};  // both: 29 February on a Sunday or a Friday
  EXPECT_EQ(friday.at_or_after(at(1'767'225'600)), at(1'961'625'600));  // 2032-02-29
  EXPECT_EQ(friday.before(at(1'767'225'600)), at(1'204'243'200));       // 2008-02-29
}

TEST(Slots, are_due_within_their_jitter_and_before_the_next_whatever_the_bounds) {
  Definition definition = calendar("0 0 * * *", berlin());
  definition.jitter = {.max = Duration::hours(100), .seed = 5};
  const Slots open{definition};
  const auto first = *open.at_or_after(at(kFrom));
  const auto second = *open.at_or_after(first + kMicro);
  const StoreTime due = open.due(kSchedule, first);
  EXPECT_GE(due, first);
  EXPECT_LT(due, second);
  EXPECT_EQ(due, due_with_jitter(definition.jitter, kSchedule, first, second));
  EXPECT_EQ(open.end_of_due(kSchedule, due), first);
  EXPECT_EQ(open.end_of_due(kSchedule, due + kMicro), due + kMicro);
  definition.until = second;
  EXPECT_EQ(Slots{definition}.due(kSchedule, first), due);

  Definition grid{.recurrence = Interval{.start = at(0), .period = Duration::seconds(10)}, .until = at(15)};
  grid.jitter = {.max = Duration::seconds(30), .seed = 5};
  EXPECT_EQ(Slots{grid}.due(kSchedule, at(10)), due_with_jitter(grid.jitter, kSchedule, at(10), at(20)));
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

// ---- SlotSet ----

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

TEST(SlotSet, keeps_the_slots_of_a_calendar_as_one_range_in_whatever_order_they_come) {
  for (const char* expression : {"0 9-17 * * MON-FRI", "30 2 * * SUN"}) {
    const Slots slots{calendar(expression, berlin())};
    SlotSet set;
    std::vector<StoreTime> all;
    for (auto slot = slots.at_or_after(at(kFrom)); all.size() < 5'000;
         slot = slots.at_or_after(*slot + kMicro))
      all.push_back(*slot);
    for (std::size_t n = 0; n < all.size(); ++n)
      EXPECT_TRUE(set.add(all[n ^ 1], &slots));  // each pair the other way round
    EXPECT_EQ(set.ranges(), 1u);
  }
}

TEST(SlotSet, keeps_what_comes_right_after_the_last_slot_of_a_definition) {
  SlotSet set;
  const Slots one{list({at(10)})};
  EXPECT_TRUE(set.add(at(10), &one));
  EXPECT_FALSE(set.add_next(at(10) + kMicro));
  EXPECT_TRUE(set.add(at(10) + kMicro, nullptr));
  EXPECT_TRUE(set.contains(at(10) + kMicro));
}

// A slot of the version before was never added: the new version's slots must not reach over it.
TEST(SlotSet, does_not_join_slots_of_two_versions) {
  SlotSet set;
  const Slots tens{calendar("*/10 * * * * *", berlin())};
  const Slots twenties{calendar("*/20 * * * * *", berlin())};
  EXPECT_TRUE(set.add(at(10), &tens));
  EXPECT_TRUE(set.add(at(20), &tens));
  EXPECT_TRUE(set.add(at(40), &twenties));
  EXPECT_FALSE(set.contains(at(30)));
  EXPECT_FALSE(set.add(at(40), &tens));
  EXPECT_TRUE(set.add(at(30), &tens));
  EXPECT_EQ(set.first_missing(at(10), at(90), tens), at(50));
  EXPECT_EQ(set.first_missing(at(10), at(90), twenties), at(60));
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

// ---- RangeSet ----

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
}  // namespace tenure::sim::slots_tests
