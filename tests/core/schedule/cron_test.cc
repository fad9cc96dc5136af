// Cron expressions on the local calendar: what matches, and what is refused with a reason.
#include "core/schedule/cron.h"

#include <date/date.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

Cron cron(std::string_view text) {
  auto parsed = Cron::parse(text);
  if (const auto* error = std::get_if<CronError>(&parsed)) ADD_FAILURE() << text << ": " << error->message;
  return std::holds_alternative<Cron>(parsed) ? std::get<Cron>(parsed)
                                              : std::get<Cron>(Cron::parse("* * * * *"));
}

std::int64_t local(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0) {
  const date::sys_days days{date::year{year} / static_cast<int>(month) / static_cast<int>(day)};
  return days.time_since_epoch().count() * std::int64_t{86'400} + hour * 3'600 + minute * 60 + second;
}
std::string text_of(std::int64_t at) {
  const date::sys_seconds time{std::chrono::seconds{at}};
  return date::format("%F %T", time);
}
// The first `count` matches at or after `from`.
std::vector<std::string> matches(const Cron& expression, std::int64_t from, int count) {
  std::vector<std::string> found;
  for (auto at = expression.at_or_after(from); at && count > 0; at = expression.at_or_after(*at + 1), --count)
    found.push_back(text_of(*at));
  return found;
}
using Texts = std::vector<std::string>;

TEST(Cron, matches_single_values_ranges_steps_and_lists) {
  const std::int64_t from = local(2026, 1, 1);
  EXPECT_EQ(matches(cron("30 2 * * *"), from, 2), (Texts{"2026-01-01 02:30:00", "2026-01-02 02:30:00"}));
  EXPECT_EQ(matches(cron("*/20 1-2 * * *"), from, 4), (Texts{"2026-01-01 01:00:00", "2026-01-01 01:20:00",
                                                             "2026-01-01 01:40:00", "2026-01-01 02:00:00"}));
  EXPECT_EQ(matches(cron("5,3 0 * * *"), from, 3),
            (Texts{"2026-01-01 00:03:00", "2026-01-01 00:05:00", "2026-01-02 00:03:00"}));
  EXPECT_EQ(matches(cron("50/5 23 * * *"), from, 2), (Texts{"2026-01-01 23:50:00", "2026-01-01 23:55:00"}));
  EXPECT_EQ(matches(cron("0 1-10/4 * * *"), from, 3),
            (Texts{"2026-01-01 01:00:00", "2026-01-01 05:00:00", "2026-01-01 09:00:00"}));
}

TEST(Cron, six_fields_have_the_seconds_first) {
  EXPECT_EQ(matches(cron("15,45 59 23 * * *"), local(2026, 1, 1), 3),
            (Texts{"2026-01-01 23:59:15", "2026-01-01 23:59:45", "2026-01-02 23:59:15"}));
}

TEST(Cron, names_are_taken_in_any_case_and_sunday_is_0_and_7) {
  const std::int64_t from = local(2026, 1, 1);
  EXPECT_EQ(matches(cron("0 0 * feb Mon"), from, 1), (Texts{"2026-02-02 00:00:00"}));
  for (const char* sunday : {"0 0 * * 0", "0 0 * * 7", "0 0 * * SUN"})
    EXPECT_EQ(matches(cron(sunday), from, 1), (Texts{"2026-01-04 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 * * FRI-SUN"), from, 3),
            (Texts{"2026-01-02 00:00:00", "2026-01-03 00:00:00", "2026-01-04 00:00:00"}));
}

TEST(Cron, a_day_matches_either_field_if_both_are_restricted) {
  // 2026-01-13 is a Tuesday; Fridays are the 2nd, the 9th and the 16th.
  EXPECT_EQ(
      matches(cron("0 0 13 * FRI"), local(2026, 1, 1), 4),
      (Texts{"2026-01-02 00:00:00", "2026-01-09 00:00:00", "2026-01-13 00:00:00", "2026-01-16 00:00:00"}));
}

TEST(Cron, a_field_that_begins_with_a_star_leaves_the_choice_to_the_other) {
  // Vixie's rule: every second day, if it is a Monday. 2026-01-05 and 2026-01-19 are odd Mondays.
  EXPECT_EQ(matches(cron("0 0 */2 * MON"), local(2026, 1, 1), 2),
            (Texts{"2026-01-05 00:00:00", "2026-01-19 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 ? * MON"), local(2026, 1, 1), 1), (Texts{"2026-01-05 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 13 * ?"), local(2026, 1, 1), 1), (Texts{"2026-01-13 00:00:00"}));
}

TEST(Cron, L_is_the_last_day_and_L_n_the_nth_before_it) {
  EXPECT_EQ(matches(cron("0 0 L * *"), local(2024, 2, 1), 2),
            (Texts{"2024-02-29 00:00:00", "2024-03-31 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 L-2 * *"), local(2026, 2, 1), 2),
            (Texts{"2026-02-26 00:00:00", "2026-03-29 00:00:00"}));
  // There is no 30th day before the last in a month of 30 days.
  EXPECT_EQ(matches(cron("0 0 L-30 * *"), local(2026, 4, 1), 1), (Texts{"2026-05-01 00:00:00"}));
}

TEST(Cron, W_is_the_nearest_weekday_and_never_leaves_the_month) {
  // 2026-08-15 is a Saturday; 2026-02-01 a Sunday; 2026-05-31 a Sunday; 2026-08-01 a Saturday.
  EXPECT_EQ(matches(cron("0 0 15W 8 *"), local(2026, 1, 1), 1), (Texts{"2026-08-14 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 1W 2 *"), local(2026, 1, 1), 1), (Texts{"2026-02-02 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 31W 5 *"), local(2026, 1, 1), 1), (Texts{"2026-05-29 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 1W 8 *"), local(2026, 1, 1), 1), (Texts{"2026-08-03 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 LW * *"), local(2026, 5, 1), 2),
            (Texts{"2026-05-29 00:00:00", "2026-06-30 00:00:00"}));
}

TEST(Cron, hash_is_the_nth_such_weekday_and_dL_the_last) {
  EXPECT_EQ(matches(cron("0 0 * * MON#1"), local(2026, 1, 1), 2),
            (Texts{"2026-01-05 00:00:00", "2026-02-02 00:00:00"}));
  // A fifth Friday comes in January and May, and not between.
  EXPECT_EQ(matches(cron("0 0 * * 5#5"), local(2026, 1, 1), 2),
            (Texts{"2026-01-30 00:00:00", "2026-05-29 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 * * 5L"), local(2026, 2, 1), 2),
            (Texts{"2026-02-27 00:00:00", "2026-03-27 00:00:00"}));
  EXPECT_EQ(matches(cron("0 0 * * 7#2"), local(2026, 1, 1), 1), (Texts{"2026-01-11 00:00:00"}));
}

TEST(Cron, february_29_comes_every_four_years_and_not_in_2100) {
  const Cron leap = cron("0 12 29 2 *");
  EXPECT_EQ(matches(leap, local(2026, 1, 1), 2), (Texts{"2028-02-29 12:00:00", "2032-02-29 12:00:00"}));
  EXPECT_EQ(matches(leap, local(2097, 1, 1), 1), (Texts{"2104-02-29 12:00:00"}));
  EXPECT_EQ(text_of(*leap.at_or_before(local(2103, 1, 1))), "2096-02-29 12:00:00");
}

TEST(Cron, the_nicknames_say_what_crontab_says) {
  const std::int64_t from = local(2026, 3, 4, 5, 6, 7);
  EXPECT_EQ(matches(cron("@yearly"), from, 1), (Texts{"2027-01-01 00:00:00"}));
  EXPECT_EQ(matches(cron("@annually"), from, 1), (Texts{"2027-01-01 00:00:00"}));
  EXPECT_EQ(matches(cron("@monthly"), from, 1), (Texts{"2026-04-01 00:00:00"}));
  EXPECT_EQ(matches(cron("@weekly"), from, 1), (Texts{"2026-03-08 00:00:00"}));
  EXPECT_EQ(matches(cron("@daily"), from, 1), (Texts{"2026-03-05 00:00:00"}));
  EXPECT_EQ(matches(cron("@midnight"), from, 1), (Texts{"2026-03-05 00:00:00"}));
  EXPECT_EQ(matches(cron("@Hourly"), from, 1), (Texts{"2026-03-04 06:00:00"}));
}

TEST(Cron, is_of_interval_type_iff_a_time_field_is_a_star_a_range_or_a_step) {
  for (const char* text :
       {"* * * * *", "*/5 3 * * *", "0 1-5 * * *", "0 0,2-3 * * *", "10/5 3 * * *", "* 0 3 * * *", "@hourly"})
    EXPECT_TRUE(cron(text).interval_type()) << text;
  for (const char* text :
       {"0 3 * * *", "0,30 1,2 * * *", "0 0 1-5 * *", "0 3 * */2 MON-FRI", "0 0 3 * * *", "@daily"})
    EXPECT_FALSE(cron(text).interval_type()) << text;
}

TEST(Cron, prints_what_parses_to_the_same) {
  EXPECT_EQ(cron("  0\t3  * feb mon#1 ").text(), "0 3 * FEB MON#1");
  EXPECT_EQ(cron("@DAILY").text(), "@daily");
}

TEST(Cron, every_is_a_period) {
  const auto period = [](std::string_view text) { return std::get<Duration>(parse_every(text).value()); };
  EXPECT_EQ(period("@every 90s"), Duration::seconds(90));
  EXPECT_EQ(period("@every 1h30m"), Duration::minutes(90));
  EXPECT_EQ(period("@EVERY 1d"), Duration::hours(24));
  EXPECT_EQ(period("@every 250us"), Duration::micros(250));
  EXPECT_FALSE(parse_every("@daily").has_value());
  for (const char* bad :
       {"@every", "@every x", "@every 0s", "@every 10", "@every 1h 2m", "@every -5s", "@every 99999999999s"})
    EXPECT_TRUE(std::holds_alternative<CronError>(parse_every(bad).value())) << bad;
}

// ---- bad expressions -------------------------------------------------------------------------------------

struct Bad {
  const char* text;
  std::size_t at;
  std::size_t length;
  const char* says;  // a part of the message
  const char* hint;  // a part of the hint
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << '"' << bad.text << '"'; }

class BadCron : public ::testing::TestWithParam<Bad> {};

TEST_P(BadCron, is_refused_with_the_place_the_reason_and_the_nearest_form) {
  const Bad& bad = GetParam();
  const auto parsed = Cron::parse(bad.text);
  ASSERT_TRUE(std::holds_alternative<CronError>(parsed));
  const auto& error = std::get<CronError>(parsed);
  EXPECT_EQ(error.at, bad.at);
  EXPECT_EQ(error.length, bad.length);
  EXPECT_NE(error.message.find(bad.says), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find(bad.hint), std::string::npos) << error.hint;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCron,
    ::testing::Values(
        Bad{"", 0, 1, "empty", "five fields"}, Bad{"   ", 0, 3, "empty", "five fields"},
        Bad{"* * * *", 6, 1, "five fields", ""}, Bad{"0 0 0 1 1 * 2026", 12, 4, "five fields", "year"},
        Bad{"60 * * * *", 0, 2, "from 0 to 59, not 60", "`59`"},
        Bad{"0 24 * * *", 2, 2, "from 0 to 23, not 24", "`23`"},
        Bad{"0 0 0 * *", 4, 1, "from 1 to 31, not 0", "`1`"}, Bad{"0 0 32 * *", 4, 2, "from 1 to 31", "`31`"},
        Bad{"0 0 * 13 *", 6, 2, "from 1 to 12", "`12`"}, Bad{"0 0 * * 8", 8, 1, "from 0 to 7", "`7`"},
        Bad{"0 0 * * MOM", 8, 3, "`MOM` is no day of week", "`MON`"},
        Bad{"0 0 * JANUARY *", 6, 7, "is no month", "`JAN`"},
        Bad{"0 0 * XYZ *", 6, 3, "is no month", "JAN FEB"},
        Bad{"0 22-2 * * *", 2, 4, "goes back", "`22-23,0-2`"},
        Bad{"*/0 * * * *", 2, 1, "a step is from 1", "`1`"},
        Bad{"*/ * * * *", 2, 1, "a step is missing", "1 to 60"},
        Bad{"1,,2 * * * *", 2, 1, "between its commas", ""}, Bad{"1- * * * *", 2, 1, "missing", "0-59"},
        Bad{"? * * * *", 0, 1, "day fields only", "`*`"}, Bad{"0 0 ?/2 * *", 4, 3, "stands alone", ""},
        Bad{"x * * * *", 0, 1, "`x` is not a minute", "0 to 59"},
        Bad{"1.5 * * * *", 0, 3, "is not a minute", "0 to 59"},
        Bad{"0 0 * * L", 8, 1, "different things", "SAT"}, Bad{"0 0 * * MON#6", 12, 1, "from 1 to 5", "`5`"},
        Bad{"0 0 L-31 * *", 6, 2, "from 1 to 30", "`30`"}, Bad{"0 0 0W * *", 4, 1, "from 1 to 31", "`1`"},
        Bad{"0 0 30 2 *", 4, 2, "no such day", "February"}, Bad{"0 0 31 4,6,9,11 *", 4, 2, "no such day", ""},
        Bad{"0 0 30W 2 *", 4, 3, "no such day", ""}, Bad{"0 0 31 2 *", 4, 2, "no such day", ""},
        Bad{"@dayly", 0, 6, "unknown nickname", "@daily"}, Bad{"@reboot", 0, 7, "reboots", ""},
        Bad{"@daily 5", 7, 1, "nothing may follow", ""}, Bad{"\xff\xfe * * * *", 0, 2, "`??`", ""}));

INSTANTIATE_TEST_SUITE_P(
    Names, BadCron,
    ::testing::Values(Bad{"0 0 * JULY *", 6, 4, "is no month", "did you mean `JUL`"},
                      Bad{"0 0 * june *", 6, 4, "is no month", "did you mean `JUN`"},
                      Bad{"0 0 * SEPT *", 6, 4, "is no month", "did you mean `SEP`"},
                      Bad{"0 0 * * Thursday", 8, 8, "is no day of week", "did you mean `THU`"},
                      Bad{"0 0 * * Tues-Fri", 8, 4, "is no day of week", "did you mean `TUE`"}));

INSTANTIATE_TEST_SUITE_P(ShortMonths, BadCron,
                         ::testing::Values(Bad{"0 0 31 4,6 *", 4, 2, "no such day",
                                               "April and June have 30 days"},
                                           Bad{"0 0 31 4,6,9,11 *", 4, 2, "no such day",
                                               "April, June, September and November have 30 days"},
                                           Bad{"0 0 31 SEP *", 4, 2, "no such day", "September has 30 days"},
                                           Bad{"0 0 31 2,4 *", 4, 2, "no such day",
                                               "February has 28 or 29 days; April has 30 days"}));

INSTANTIATE_TEST_SUITE_P(RangesThatGoBack, BadCron,
                         ::testing::Values(Bad{"0 0 * * 7-1", 8, 3, "goes back", "write `0-1`"},
                                           Bad{"0 0 * * 6-1", 8, 3, "goes back", "write `6,0-1`"},
                                           Bad{"0 0 * * SAT-MON", 8, 7, "goes back", "write `SAT,SUN-MON`"},
                                           Bad{"0 0 * NOV-JAN *", 6, 7, "goes back", "write `NOV-DEC,JAN`"},
                                           Bad{"0 23-0 * * *", 2, 4, "goes back", "write `23,0`"},
                                           Bad{"0 22-4/2 * * *", 2, 4, "goes back", "list the values"}));

INSTANTIATE_TEST_SUITE_P(
    FromElsewhere, BadCron,
    ::testing::Values(Bad{"TZ=Europe/Berlin 0 3 * * *", 0, 16, "time zone", "timezone / --timezone"},
                      Bad{"CRON_TZ=UTC 0 3 * * *", 0, 11, "time zone", "timezone / --timezone"},
                      Bad{"0 3 * * * Europe/Berlin", 10, 13, "time zone", "timezone / --timezone"},
                      Bad{"0 0 3 * * ? UTC", 12, 3, "time zone", "timezone / --timezone"},
                      Bad{"0 3 1 1 * 2026", 10, 4, "year", "a start and an end"},
                      Bad{"0 3 1 1 * 2026-2030", 10, 9, "year", "a start and an end"},
                      Bad{"0 3 1 1 * 1969", 10, 4, "from 0 to 7", "`7`"},
                      Bad{"0 3 1 1 * 2200", 10, 4, "from 0 to 7", "`7`"}));

INSTANTIATE_TEST_SUITE_P(Reasons, BadCron,
                         ::testing::Values(Bad{"0 x * * *", 2, 1, "`x` is not an hour", "0 to 23"},
                                           Bad{"0 24 * * *", 2, 2, "an hour is from", "`23`"},
                                           Bad{"0 1- * * *", 4, 1, "an hour is missing", "0-23"},
                                           Bad{"0 0 * * MON#", 12, 1, "is missing", "1 to 5"},
                                           Bad{"0 0 L-0 * *", 4, 3, "is the last", "write `L`"},
                                           Bad{"0 0 1-15W * *", 4, 5, "`W` takes one day", "`1W,15W`"},
                                           Bad{"0 \xc3\xa9t\xc3\xa9 * * *", 2, 5, "`?t?` is not an hour", ""},
                                           Bad{"0 \xe2\x80\x93 * * *", 2, 3, "`?` is not an hour", ""},
                                           Bad{"0 \x80 * * *", 2, 1, "`?` is not an hour", ""}));

TEST(Cron, a_hint_about_months_names_none_but_those_concerned) {
  const auto parsed = Cron::parse("0 0 31 4 *");
  EXPECT_EQ(std::get<CronError>(parsed).hint, "April has 30 days");
}

TEST(Cron, a_weekday_with_a_step_is_no_zone) {
  EXPECT_EQ(matches(cron("0 0 0 * * MON/2"), local(2026, 1, 1), 1), (Texts{"2026-01-02 00:00:00"}));
}

TEST(Cron, an_expression_as_long_as_a_novel_is_refused_at_once) {
  const std::string novel(10'000'000, '1');
  EXPECT_TRUE(std::holds_alternative<CronError>(Cron::parse(novel)));
}

TEST(Cron, counts_what_it_enumerates) {
  for (const char* text :
       {"*/7 * * * *", "13 3,15 * * *", "0 0 L * *", "5 4 3,17 * MON#1", "1,2 10-20 1-3 */5 * *"}) {
    const Cron expression = cron(text);
    const std::int64_t from = local(2026, 1, 17, 3, 13, 1);
    std::int64_t counted = 0;
    auto at = expression.at_or_after(from);
    for (const std::int64_t days : {0, 1, 2, 15, 40, 400}) {
      const std::int64_t to = from + days * 86'400 + 12'345;
      for (; at && *at < to; at = expression.at_or_after(*at + 1)) ++counted;
      EXPECT_EQ(expression.count(from, to), counted) << text << " over " << days << " days";
    }
  }
}

}  // namespace
}  // namespace tenure
