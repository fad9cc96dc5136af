#include "format/syntax/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>

namespace tenure::format {
namespace {

std::int64_t ns(std::string_view text) {
  const Parsed<Duration> parsed = parse_duration(text);
  return parsed.value ? parsed.value->ns() : -1;
}

TEST(Durations, are_read_exactly) {
  EXPECT_EQ(ns("15s"), 15'000'000'000);
  EXPECT_EQ(ns("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(ns("1.5s"), 1'500'000'000);
  EXPECT_EQ(ns("0.1s"), 100'000'000);
  EXPECT_EQ(ns("200ms"), 200'000'000);
  EXPECT_EQ(ns("300us"), 300'000);
  EXPECT_EQ(ns("5ns"), 5);
  EXPECT_EQ(ns("-50ms"), -50'000'000);
  EXPECT_EQ(ns("1m1.000000001s"), 61'000'000'001);
  EXPECT_EQ(ns("0.25m"), 15'000'000'000);
  EXPECT_EQ(ns("0s"), 0);
  EXPECT_EQ(ns("2562047h"), 9'223'369'200'000'000'000);
}

TEST(Durations, of_no_whole_number_of_nanoseconds_are_refused) {
  EXPECT_EQ(parse_duration("1.5ns").problem, "`1.5ns` is finer than a nanosecond");
  EXPECT_EQ(parse_duration("0.0000000001s").problem, "`0.0000000001s` is finer than a nanosecond");
  EXPECT_FALSE(parse_duration("0.00000000000000000001s").value);
}

TEST(Durations, that_are_not_are_refused_with_a_reason) {
  EXPECT_EQ(parse_duration("15").hint, "did you mean `15s`?");
  for (const char* text : {"",
                           "-",
                           "s",
                           "15 s",
                           "15S",
                           "1d",
                           "1s1m",
                           "1s1s",
                           "--1s",
                           "+1s",
                           "1..2s",
                           ".5s",
                           "1.s",
                           "1e3s",
                           "0x1s",
                           "1s ",
                           " 1s",
                           "3000000h",
                           "99999999999999999999s",
                           "1h-1m"}) {
    const Parsed<Duration> parsed = parse_duration(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_FALSE(parsed.problem.empty()) << text;
  }
}

TEST(Durations, are_printed_in_the_shortest_way) {
  for (const char* text :
       {"0s", "15s", "1h30m", "1.5s", "200ms", "300us", "5ns", "-50ms", "1m16.201s", "1.5ms", "24h"})
    EXPECT_EQ(print_duration(*parse_duration(text).value), text);
  EXPECT_EQ(print_duration(Duration::seconds(90)), "1m30s");
  EXPECT_EQ(print_duration(Duration::nanos(1'000'001)), "1.000001ms");
}

// As people read a time: 1m215ms looks like more than a minute and three quarters.
TEST(Durations, beyond_a_minute_are_printed_with_their_seconds) {
  for (const char* text : {"1m0.215s", "-1m0.215s", "1h0.5s", "1h1m0.000000005s"})
    EXPECT_EQ(print_duration(*parse_duration(text).value), text);
}

RC_GTEST_PROP(Durations, printed_are_read_as_the_same, (std::int64_t value, std::uint8_t shift)) {
  const Duration duration = Duration::nanos(value >> (shift % 64));
  if (duration.ns() == INT64_MIN) return;  // its magnitude is beyond the limit
  RC_ASSERT(parse_duration(print_duration(duration)).value == duration);
}

TEST(Ranges, have_one_end_or_two_in_order) {
  EXPECT_EQ(parse_duration_range("1s..20s").value,
            (sim::Range<Duration>{Duration::seconds(1), Duration::seconds(20)}));
  EXPECT_EQ(parse_duration_range("2s").value,
            (sim::Range<Duration>{Duration::seconds(2), Duration::seconds(2)}));
  EXPECT_EQ(parse_duration_range("-50ms..50ms").value,
            (sim::Range<Duration>{-Duration::millis(50), Duration::millis(50)}));
  EXPECT_EQ(parse_duration_range("20s..1s").hint, "did you mean `1s..20s`?");
  EXPECT_EQ(parse_integer_range("-200..200").value, (sim::Range<std::int64_t>{-200, 200}));
  EXPECT_EQ(parse_integer_range("300").value, (sim::Range<std::int64_t>{300, 300}));
  for (const char* text : {"", "..", "1s..", "..1s", "1s...2s", "1s..2s..3s", "1s-2s"})
    EXPECT_FALSE(parse_duration_range(text).value) << text;
  for (const char* text : {"", "1.5", "a..b", "1..", "0x10", "1 .. 2"})
    EXPECT_FALSE(parse_integer_range(text).value) << text;
}

TEST(Decimals, are_exact) {
  EXPECT_EQ(parse_decimal("0.001", 6).value, 1'000);
  EXPECT_EQ(parse_decimal("1e-3", 6).value, 1'000);
  EXPECT_EQ(parse_decimal("1", 6).value, 1'000'000);
  EXPECT_EQ(parse_decimal("0.1", 9).value, 100'000'000);
  EXPECT_EQ(parse_decimal("1_000.5e-3", 6).value, 1'000'500);
  EXPECT_EQ(parse_decimal("-2.5", 1).value, -25);
  EXPECT_EQ(parse_decimal("+3", 0).value, 3);
  EXPECT_EQ(parse_decimal("9223372036854775807", 0).value, INT64_MAX);
  EXPECT_EQ(parse_decimal("0e999", 6).value, 0);
  EXPECT_EQ(parse_decimal("0.0000001", 6).problem, "`0.0000001` has more than 6 decimals");
  EXPECT_EQ(parse_decimal("1.5", 0).problem, "`1.5` is not a whole number");
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "nan", "inf", "1..2", "0x10",
                           "9223372036854775808", "1e99999", "1 "})
    EXPECT_FALSE(parse_decimal(text, 0).value) << text;
}

RC_GTEST_PROP(Decimals, printed_are_read_as_the_same, (std::int64_t value, std::uint8_t digits)) {
  if (value == INT64_MIN) return;
  const int places = digits % 10;
  RC_ASSERT(parse_decimal(print_decimal(value, places), places).value == value);
}

TEST(Decimals, are_printed_without_trailing_zeros) {
  EXPECT_EQ(print_decimal(1'500, 3), "1.5");
  EXPECT_EQ(print_decimal(1'000, 3), "1");
  EXPECT_EQ(print_decimal(-1, 9), "-0.000000001");
  EXPECT_EQ(print_decimal(0, 6), "0");
}

TEST(Instants, are_read_with_their_offset) {
  EXPECT_EQ(parse_instant("1970-01-01T00:00:00Z").value, 0);
  EXPECT_EQ(parse_instant("2026-01-01T00:00:00Z").value, 1'767'225'600'000'000'000);
  EXPECT_EQ(parse_instant("2026-01-01T01:00:00.5+01:00").value, 1'767'225'600'500'000'000);
  EXPECT_EQ(parse_instant("2024-02-29T23:59:59.999999999Z").value, 1'709'251'199'999'999'999);
  for (const char* text :
       {"", "2026-01-01", "2026-01-01T00:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "1970-01-01T00:00:00+01:00",
        "2026-01-01T00:00:00.1234567890Z", "2026-1-1T00:00:00Z", "2026-01-01T00:00:00Z ",
        "9999-01-01T00:00:00Z"})
    EXPECT_FALSE(parse_instant(text).value) << text;
}

RC_GTEST_PROP(Instants, printed_are_read_as_the_same, (std::uint64_t value)) {
  constexpr std::uint64_t kLimit = 7'258'118'400'000'000'000;  // 2200
  const auto instant = static_cast<std::int64_t>(value % kLimit);
  RC_ASSERT(parse_instant(print_instant(instant)).value == instant);
}

TEST(Thousands, are_separated) {
  EXPECT_EQ(print_thousands(0), "0");
  EXPECT_EQ(print_thousands(999), "999");
  EXPECT_EQ(print_thousands(5'214), "5,214");
  EXPECT_EQ(print_thousands(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace tenure::format
