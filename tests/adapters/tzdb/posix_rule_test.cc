#include "adapters/tzdb/posix_rule.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

using Periods = std::vector<TimeZone::Period>;

// The changes of a rule from 1970-01-01 on, up to `until`.
Periods changes(const char* text, std::int64_t until) {
  const auto rule = parse_posix_rule(text);
  if (!rule) return {};
  Periods periods = {{0, rule->offset}};
  continue_periods(*rule, until, periods);
  return periods;
}

constexpr std::int64_t kYear = 365 * 86'400;

TEST(PosixRule, names_the_days_that_clocks_change) {
  // The last Sundays of March and October 1970, at 01:00 UTC.
  EXPECT_EQ(changes("CET-1CEST,M3.5.0,M10.5.0/3", kYear),
            (Periods{{0, 3'600}, {7'520'400, 7'200}, {25'664'400, 3'600}}));
}

TEST(PosixRule, times_may_be_negative_or_on_a_later_day) {
  // Nuuk: Saturday 22:00 and 23:00 before the last Sunday of the month, which is 01:00 UTC.
  EXPECT_EQ(changes("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", kYear),
            (Periods{{0, -7'200}, {7'520'400, -3'600}, {25'664'400, -7'200}}));
  // The fourth Thursday of March at 50:00 is Saturday at 02:00.
  const Periods gaza = changes("EET-2EEST,M3.4.4/50,M10.4.4/50", kYear);
  ASSERT_EQ(gaza.size(), 3u);
  EXPECT_EQ(gaza[1].begin, 86 * 86'400);
}

TEST(PosixRule, days_are_counted_with_and_without_leap_days) {
  // 1972: day 60 from 1 without a leap day is March 1, day 59 from 0 with it is February 29.
  Periods julian = {{2 * kYear, 0}};
  continue_periods(*parse_posix_rule("A0B,J60/0,J300/0"), 2 * kYear + 100 * 86'400, julian);
  ASSERT_EQ(julian.size(), 2u);
  EXPECT_EQ(julian[1].begin, 2 * kYear + 60 * 86'400);
  Periods plain = {{2 * kYear, 0}};
  continue_periods(*parse_posix_rule("A0B,59/0,300/0"), 2 * kYear + 100 * 86'400, plain);
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(plain[1].begin, 2 * kYear + 59 * 86'400);
}

TEST(PosixRule, a_summer_that_begins_as_the_last_ends_is_one) {
  // RFC 8536: Eastern summer time all the year.
  Periods periods = {{0, -5 * 3'600}};
  continue_periods(*parse_posix_rule("EST5EDT,0/0,J365/25"), 10 * kYear, periods);
  EXPECT_EQ(periods, (Periods{{0, -5 * 3'600}, {5 * 3'600, -4 * 3'600}}));
}

TEST(PosixRule, a_winter_may_be_the_exception) {
  const auto dublin = parse_posix_rule("IST-1GMT0,M10.5.0,M3.5.0/1");
  ASSERT_TRUE(dublin.has_value());
  EXPECT_EQ(dublin->offset, 3'600);
  ASSERT_TRUE(dublin->summer.has_value());
  EXPECT_EQ(dublin->summer->offset, 0);
}

TEST(PosixRule, without_a_summer_nothing_changes) {
  EXPECT_EQ(changes("<+0545>-5:45", 100 * kYear), (Periods{{0, 20'700}}));
}

TEST(PosixRule, what_is_no_rule_is_none) {
  for (const char* text : {"", "CET", "-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                           "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "<CET-1", "CET-25",
                           "CET-1CEST,M3.5.0/168,M10.5.0", "A0B,J0,J1"})
    EXPECT_FALSE(parse_posix_rule(text).has_value()) << text;
}

}  // namespace
}  // namespace tenure
