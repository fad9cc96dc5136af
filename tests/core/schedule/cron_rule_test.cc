// Cron in zones whose clocks change: gaps, repeated hours, and a day that never was.
#include "core/schedule/cron_rule.h"

#include <date/date.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

constexpr std::int64_t kHour = 3'600;

std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  const date::sys_days days{date::year{year} / static_cast<int>(month) / static_cast<int>(day)};
  return days.time_since_epoch().count() * std::int64_t{86'400} + hour * kHour + minute * 60;
}
StoreTime at(std::int64_t seconds) { return StoreTime{} + Duration::seconds(seconds); }

using Period = TimeZone::Period;
std::shared_ptr<const TimeZone> zone(std::vector<Period> periods) {
  return std::make_shared<const TimeZone>("Test/Zone", "1", std::move(periods));
}
// Forward at 02:00 (01:00 UTC) on 2026-03-29, back at 03:00 (01:00 UTC) on 2026-10-25.
std::shared_ptr<const TimeZone> berlin() {
  return zone({{TimeZone::kAlways, kHour}, {utc(2026, 3, 29, 1), 2 * kHour}, {utc(2026, 10, 25, 1), kHour}});
}

CronRule rule(const char* text, std::shared_ptr<const TimeZone> where, DstGap gap = DstGap::gap_end,
              DstOverlap overlap = DstOverlap::first) {
  return {std::make_shared<const Cron>(std::get<Cron>(Cron::parse(text))), std::move(where), gap, overlap};
}

// The slots in [from, to), forwards; and the same backwards and counted, or the test fails.
std::vector<std::string> slots(const CronRule& r, std::int64_t from, std::int64_t to) {
  std::vector<StoreTime> forwards;
  for (auto s = first_at_or_after(r, at(from)); s && *s < at(to);
       s = first_at_or_after(r, *s + Duration::micros(1)))
    forwards.push_back(*s);
  std::vector<StoreTime> backwards;
  for (auto s = last_before(r, at(to)); s && *s >= at(from); s = last_before(r, *s))
    backwards.insert(backwards.begin(), *s);
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(count_slots(r, at(from), at(to)), static_cast<std::int64_t>(forwards.size()));
  std::vector<std::string> texts;
  for (const StoreTime s : forwards)
    texts.push_back(
        date::format("%m-%d %H:%M", date::sys_seconds{std::chrono::seconds{s.ns() / 1'000'000'000}}));
  return texts;
}
using Texts = std::vector<std::string>;

TEST(CronRule, a_fixed_time_in_the_gap_fires_at_its_end_is_shifted_or_skipped) {
  const auto from = utc(2026, 3, 28, 12);
  const auto to = utc(2026, 3, 30, 12);
  EXPECT_EQ(slots(rule("30 2 * * *", berlin(), DstGap::gap_end), from, to),
            (Texts{"03-29 01:00", "03-30 00:30"}));
  EXPECT_EQ(slots(rule("30 2 * * *", berlin(), DstGap::shift), from, to),
            (Texts{"03-29 01:30", "03-30 00:30"}));
  EXPECT_EQ(slots(rule("30 2 * * *", berlin(), DstGap::skip), from, to), (Texts{"03-30 00:30"}));
}

TEST(CronRule, readings_of_one_gap_that_fall_on_one_instant_are_one_slot) {
  const auto from = utc(2026, 3, 29);
  const auto to = utc(2026, 3, 29, 12);
  EXPECT_EQ(slots(rule("0,10,20 2,3 * * *", berlin()), from, to),
            (Texts{"03-29 01:00", "03-29 01:10", "03-29 01:20"}));
  // Shifted, 02:10 falls on 03:10, which is a slot itself.
  EXPECT_EQ(slots(rule("10,20 2,3 * * *", berlin(), DstGap::shift), from, to),
            (Texts{"03-29 01:10", "03-29 01:20"}));
}

TEST(CronRule, a_fixed_time_in_the_hour_that_comes_twice_fires_at_the_first_the_second_or_both) {
  const auto from = utc(2026, 10, 24, 12);
  const auto to = utc(2026, 10, 25, 12);
  EXPECT_EQ(slots(rule("30 2 * * *", berlin()), from, to), (Texts{"10-25 00:30"}));
  EXPECT_EQ(slots(rule("30 2 * * *", berlin(), DstGap::gap_end, DstOverlap::second), from, to),
            (Texts{"10-25 01:30"}));
  EXPECT_EQ(slots(rule("30 2 * * *", berlin(), DstGap::gap_end, DstOverlap::both), from, to),
            (Texts{"10-25 00:30", "10-25 01:30"}));
}

TEST(CronRule, the_ends_of_the_repeated_hour_belong_to_it_and_to_what_follows) {
  const auto from = utc(2026, 10, 24, 12);
  const auto to = utc(2026, 10, 25, 12);
  EXPECT_EQ(slots(rule("0 2 * * *", berlin()), from, to), (Texts{"10-25 00:00"}));
  EXPECT_EQ(slots(rule("0 2 * * *", berlin(), DstGap::gap_end, DstOverlap::second), from, to),
            (Texts{"10-25 01:00"}));
  for (const auto overlap : {DstOverlap::first, DstOverlap::second, DstOverlap::both})
    EXPECT_EQ(slots(rule("0 3 * * *", berlin(), DstGap::gap_end, overlap), from, to), (Texts{"10-25 02:00"}));
}

TEST(CronRule, an_interval_type_skips_nothing_and_repeats_nothing) {
  // Hourly by the wall clock is hourly in fact, in both nights.
  EXPECT_EQ(slots(rule("0 * * * *", berlin()), utc(2026, 3, 28, 23, 30), utc(2026, 3, 29, 3)),
            (Texts{"03-29 00:00", "03-29 01:00", "03-29 02:00"}));
  EXPECT_EQ(slots(rule("0 * * * *", berlin()), utc(2026, 10, 24, 23, 30), utc(2026, 10, 25, 3)),
            (Texts{"10-25 00:00", "10-25 01:00", "10-25 02:00"}));
  // A range of hours is of interval type too: what does not exist does not fire, whatever the policy.
  EXPECT_EQ(slots(rule("30 2-3 * * *", berlin(), DstGap::gap_end), utc(2026, 3, 28, 23), utc(2026, 3, 29, 6)),
            (Texts{"03-29 01:30"}));
}

TEST(CronRule, a_step_that_does_not_divide_the_hour_starts_anew_with_each) {
  EXPECT_EQ(slots(rule("*/40 * * * *", berlin()), utc(2026, 3, 29, 0), utc(2026, 3, 29, 2)),
            (Texts{"03-29 00:00", "03-29 00:40", "03-29 01:00", "03-29 01:40"}));
}

TEST(CronRule, a_day_that_never_was_is_a_gap_like_any_other) {
  // As Apia went from UTC-10 to UTC+14 at the end of 2011-12-29: the 30th did not exist.
  const auto apia = zone({{TimeZone::kAlways, -10 * kHour}, {utc(2011, 12, 30, 10), 14 * kHour}});
  const auto from = utc(2011, 12, 28);
  const auto to = utc(2012, 1, 2);
  EXPECT_EQ(slots(rule("0 6 30 12 *", apia), from, to), (Texts{"12-30 10:00"}));
  EXPECT_EQ(slots(rule("0 6 30 12 *", apia, DstGap::skip), from, to), Texts{});
  EXPECT_EQ(slots(rule("0 6 30 12 *", apia, DstGap::shift), from, to), (Texts{"12-30 16:00"}));
  // Shifted by 24 hours, it falls on the same time of the next day.
  EXPECT_EQ(slots(rule("0 6 * * *", apia, DstGap::shift), from, to),
            (Texts{"12-28 16:00", "12-29 16:00", "12-30 16:00", "12-31 16:00", "01-01 16:00"}));
}

TEST(CronRule, half_an_hour_is_a_gap_and_a_repetition_too) {
  // As Lord Howe: half an hour forward, half an hour back.
  const auto howe = zone({{TimeZone::kAlways, 10 * kHour + 1'800},
                          {utc(2026, 10, 3, 15, 30), 11 * kHour},
                          {utc(2027, 4, 3, 15), 10 * kHour + 1'800}});
  EXPECT_EQ(slots(rule("15 2 * * *", howe), utc(2026, 10, 3), utc(2026, 10, 4)), (Texts{"10-03 15:30"}));
  EXPECT_EQ(
      slots(rule("45 1 * * *", howe, DstGap::gap_end, DstOverlap::both), utc(2027, 4, 3), utc(2027, 4, 4)),
      (Texts{"04-03 14:45", "04-03 15:15"}));
}

TEST(CronRule, a_search_from_within_the_repeated_hour_finds_its_second_reading) {
  const auto second = rule("30 2 25 10 *", berlin(), DstGap::gap_end, DstOverlap::second);
  EXPECT_EQ(first_at_or_after(second, at(utc(2026, 10, 25, 0, 45))), at(utc(2026, 10, 25, 1, 30)));
  const auto first = rule("30 2 25 10 *", berlin());
  EXPECT_EQ(last_before(first, at(utc(2026, 10, 25, 1, 15))), at(utc(2026, 10, 25, 0, 30)));
}

TEST(CronRule, a_gap_years_ahead_is_not_jumped_over) {
  // The one match of the year lies in the gap, and only there.
  const auto once = rule("30 2 29 3 *", berlin());
  EXPECT_EQ(first_at_or_after(once, at(utc(2025, 4, 1))), at(utc(2026, 3, 29, 1)));
  EXPECT_EQ(last_before(once, at(utc(2027, 1, 1))), at(utc(2026, 3, 29, 1)));
}

TEST(CronRule, fractions_of_a_second_round_to_the_next_slot) {
  const auto minutely = rule("* * * * *", TimeZone::utc());
  EXPECT_EQ(first_at_or_after(minutely, at(60) + Duration::micros(1)), at(120));
  EXPECT_EQ(last_before(minutely, at(60) + Duration::micros(1)), at(60));
  EXPECT_EQ(last_before(minutely, at(60)), at(0));
  EXPECT_EQ(first_at_or_after(minutely, at(-61)), at(-60));
}

TEST(CronRule, the_ends_of_time_hold_no_slots_beyond_them) {
  const auto minutely = rule("* * * * *", berlin());
  EXPECT_EQ(first_at_or_after(minutely, StoreTime::max()), std::nullopt);
  EXPECT_EQ(last_before(minutely, StoreTime::min()), std::nullopt);
  EXPECT_TRUE(first_at_or_after(minutely, StoreTime::min()).has_value());
  EXPECT_TRUE(last_before(minutely, StoreTime::max()).has_value());
}

}  // namespace
}  // namespace tenure
