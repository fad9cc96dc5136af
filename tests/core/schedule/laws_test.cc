// The laws of slots, over drawn definitions: whatever a schedule is, these hold.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/schedule/definition.h"

namespace tenure {
namespace {

constexpr Duration kMicro = Duration::micros(1);
constexpr std::int64_t kSecond = 1'000'000'000;

std::shared_ptr<const TimeZone> any_zone() {
  std::vector<TimeZone::Period> periods{{TimeZone::kAlways, 3'600}};
  std::int64_t at = 1'600'000'000;
  for (int n = *rc::gen::inRange(0, 40); n > 0; --n) {
    at += *rc::gen::inRange<std::int64_t>(86'400 * 3, 86'400 * 300);
    periods.push_back({at, 1'800 * *rc::gen::inRange(-24, 28)});
  }
  return std::make_shared<const TimeZone>("Any/Zone", "1", std::move(periods));
}

std::string any_field(int low, int high) {
  const int a = *rc::gen::inRange(low, high + 1);
  const int b = *rc::gen::inRange(low, high + 1);
  const std::string from = std::to_string(std::min(a, b));
  const std::string to = std::to_string(std::max(a, b));
  switch (*rc::gen::inRange(0, 7)) {
    case 0: return "*";
    case 1: return "*/" + std::to_string(*rc::gen::inRange(1, high - low + 2));
    case 2: return from + "-" + to;
    case 3: return from + "-" + to + "/" + std::to_string(*rc::gen::inRange(1, 9));
    case 4: return from == to ? from : from + "," + to;
    default: return from;
  }
}
std::string any_expression() {
  const auto pick = [](const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); };
  std::string text;
  if (*rc::gen::inRange(0, 3) == 0) text = any_field(0, 59) + " ";
  text += any_field(0, 59) + " " + any_field(0, 23) + " ";
  text += pick({"*", "*", "*", any_field(1, 31), "L", "L-3", "LW", "15W", "?"}) + " ";
  text += pick({"*", "*", "*", any_field(1, 12), "FEB", "JAN-MAR"}) + " ";
  text += pick({"*", "*", "*", any_field(0, 6), "MON-FRI", "SUN#2", "5L", "?"});
  return text;
}
Cron any_cron() {
  while (true) {
    auto parsed = Cron::parse(any_expression());
    if (auto* cron = std::get_if<Cron>(&parsed)) return std::move(*cron);  // else a day that never comes
  }
}
StoreTime any_time() {
  return StoreTime::from_ns(*rc::gen::inRange<std::int64_t>(1'400'000'000, 2'400'000'000) * kSecond);
}

Definition any_definition() {
  Definition d;
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      d.recurrence =
          Interval{any_time(), Duration::micros(*rc::gen::inRange<std::int64_t>(1, 100'000'000'000))};
      break;
    case 1: {
      std::set<StoreTime> times;
      for (int n = *rc::gen::inRange(1, 9); n > 0; --n) times.insert(any_time());
      d.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(times.begin(), times.end())};
      break;
    }
    default:
      d.recurrence = CronRule{std::make_shared<const Cron>(any_cron()), any_zone(),
                              static_cast<DstGap>(*rc::gen::inRange(0, 3)),
                              static_cast<DstOverlap>(*rc::gen::inRange(0, 3))};
  }
  if (*rc::gen::inRange(0, 3) == 0) d.not_before = any_time();
  if (*rc::gen::inRange(0, 3) == 0) d.until = any_time();
  d.jitter = {Duration::millis(*rc::gen::inRange<std::int64_t>(0, 100'000'000)),
              static_cast<Jitter::Per>(*rc::gen::inRange(0, 2)), *rc::gen::arbitrary<std::uint64_t>()};
  return d;
}

RC_GTEST_PROP(Laws, slots_strictly_increase_and_keep_within_the_bounds, ()) {
  const Definition d = any_definition();
  StoreTime from = any_time();
  for (int n = 0; n < 20; ++n) {
    const auto slot = slot_at_or_after(d, from);
    if (!slot) break;
    RC_ASSERT(*slot >= from && *slot >= d.not_before && *slot < d.until);
    RC_ASSERT(slot_at_or_after(d, *slot) == slot);
    const auto next = slot_after(d, *slot);
    RC_ASSERT(!next || *next > *slot);
    from = *slot + kMicro;
  }
}

RC_GTEST_PROP(Laws, the_slot_before_the_next_slot_is_the_slot, ()) {
  const Definition d = any_definition();
  const StoreTime from = any_time();
  const auto slot = slot_at_or_after(d, from);
  if (!slot) return;
  if (const auto next = slot_after(d, *slot)) RC_ASSERT(slot_before(d, *next) == slot);
  RC_ASSERT(slot_before(d, *slot + kMicro) == slot);
  const auto before = slot_before(d, *slot);
  RC_ASSERT(!before || (*before < from && slot_after(d, *before) == slot));
}

RC_GTEST_PROP(Laws, what_is_counted_is_what_is_enumerated, ()) {
  const Definition d = any_definition();
  const StoreTime from = any_time();
  auto slot = slot_at_or_after(d, from);
  StoreTime last = from;
  std::int64_t n = 0;
  for (; slot && n < 40; slot = slot_after(d, *slot), ++n) {
    RC_ASSERT(count_slots(d, from, *slot) == n);
    last = *slot + kMicro;
  }
  RC_ASSERT(count_slots(d, from, last) == n);
  if (n > 0) RC_ASSERT(nth_slot_before(d, n, from, last) == slot_at_or_after(d, from));
}

RC_GTEST_PROP(Laws, slot_n_of_an_interval_is_its_start_and_n_periods, ()) {
  const Interval interval{any_time(),
                          Duration::micros(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000))};
  const auto n = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const StoreTime slot = interval.start + interval.period * n;
  if (slot == StoreTime::max()) return;
  RC_ASSERT(slot_at_or_after(Recurrence{interval}, slot - interval.period + kMicro) == slot);
  RC_ASSERT(count_slots(Recurrence{interval}, interval.start, slot) == n);
}

RC_GTEST_PROP(Laws, jitter_is_less_than_its_bound_and_than_the_time_to_the_next_slot, ()) {
  const Definition d = any_definition();
  const auto schedule = ScheduleId{*rc::gen::arbitrary<std::uint32_t>()};
  const auto slot = slot_at_or_after(d, any_time());
  if (!slot) return;
  const StoreTime due = due_time(d, schedule, *slot);
  RC_ASSERT(due >= *slot);
  RC_ASSERT(due == *slot || due < *slot + d.jitter.max);
  if (const auto next = slot_after(d.recurrence, *slot)) RC_ASSERT(due < *next);
  // The same for whoever asks, whenever: a copy knows no more than the definition.
  const Definition copy = d;
  RC_ASSERT(due_time(copy, schedule, *slot) == due);
  Definition bounded = d;
  bounded.until = *slot + kMicro;
  RC_ASSERT(due_time(bounded, schedule, *slot) == due);
}

RC_GTEST_PROP(Laws, an_expression_parses_to_what_it_was_printed_from, ()) {
  const Cron cron = any_cron();
  const auto again = Cron::parse(cron.text());
  RC_ASSERT(std::holds_alternative<Cron>(again));
  RC_ASSERT(std::get<Cron>(again) == cron);
  RC_ASSERT(std::get<Cron>(again).at_or_after(0) == cron.at_or_after(0));
}

TEST(Laws, jitter_spreads_evenly_and_per_schedule_it_stays) {
  Definition d{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  d.jitter.max = Duration::minutes(10);
  std::vector<int> tenths(10);
  for (std::uint32_t id = 0; id < 1'000; ++id)
    ++tenths[static_cast<std::size_t>((due_time(d, ScheduleId{id}, StoreTime{}) - StoreTime{}) /
                                      Duration::minutes(1))];
  for (const int count : tenths) EXPECT_NEAR(count, 100, 40);

  d.jitter.per = Jitter::Per::schedule;
  const StoreTime later = StoreTime{} + Duration::hours(5);
  EXPECT_EQ(due_time(d, ScheduleId{7}, later) - later, due_time(d, ScheduleId{7}, StoreTime{}) - StoreTime{});
  d.jitter.per = Jitter::Per::slot;
  EXPECT_NE(due_time(d, ScheduleId{7}, later) - later, due_time(d, ScheduleId{7}, StoreTime{}) - StoreTime{});
}

// Pinned, so that no two versions of Tenure spread the same schedule differently.
TEST(Laws, jitter_is_the_same_everywhere_and_for_ever) {
  Definition d{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  d.jitter = {Duration::minutes(10), Jitter::Per::slot, 3};
  EXPECT_EQ(due_time(d, ScheduleId{7}, StoreTime{}).ns(), 590'452'816'000);
}

}  // namespace
}  // namespace tenure
