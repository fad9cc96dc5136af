// RFC 3339 instants, on the proleptic Gregorian calendar, in integers.

#include <fmt/format.h>

#include "core/base/check.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

struct Date {
  std::int64_t year = 0;
  std::int64_t month = 0;  // 1 … 12
  std::int64_t day = 0;    // 1 …
};

constexpr bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Days from 1970-01-01 to January 1 of `year`.
constexpr std::int64_t days_to_year(std::int64_t year) {
  const auto leap_days = [](std::int64_t y) { return y / 4 - y / 100 + y / 400; };
  return (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
}

constexpr std::int64_t days_to(const Date& date) {
  std::int64_t days = days_to_year(date.year) + date.day - 1;
  for (std::int64_t month = 1; month < date.month; ++month) days += days_in_month(date.year, month);
  return days;
}

constexpr Date date_of(std::int64_t days) {
  std::int64_t year = 1970 + days / 366;  // never too late
  while (days_to_year(year + 1) <= days) ++year;
  std::int64_t left = days - days_to_year(year);
  std::int64_t month = 1;
  for (; left >= days_in_month(year, month); ++month) left -= days_in_month(year, month);
  return Date{year, month, left + 1};
}

static_assert(days_to(Date{1970, 1, 1}) == 0);
static_assert(days_to(Date{2000, 3, 1}) == 11'017);
static_assert(date_of(11'017).month == 3 && date_of(11'016).day == 29);

// Reads fixed-width digits and separators off the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::int64_t number(std::size_t width, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return fail();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value < low || value > high ? fail() : value;
  }
  // One character out of `choices`; 0 when it is none of them.
  char one_of(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_.front()) == std::string_view::npos) {
      fail();
      return 0;
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  // The decimals of a second, in nanoseconds.
  std::int64_t fraction() {
    if (!rest_.starts_with('.')) return 0;
    rest_.remove_prefix(1);
    std::int64_t value = 0;
    std::int64_t scale = kNsPerSecond;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      if (scale == 1) return fail();
      scale /= 10;
      value += scale * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return scale == kNsPerSecond ? fail() : value;
  }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::int64_t fail() {
    good_ = false;
    return 0;
  }
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

Parsed<std::int64_t> parse_instant(std::string_view text) {
  Reader reader(text);
  Date date;
  date.year = reader.number(4, 1970, 2200);
  reader.one_of("-");
  date.month = reader.number(2, 1, 12);
  reader.one_of("-");
  date.day = reader.number(2, 1, 31);
  reader.one_of("Tt ");
  const std::int64_t hour = reader.number(2, 0, 23);
  reader.one_of(":");
  const std::int64_t minute = reader.number(2, 0, 59);
  reader.one_of(":");
  const std::int64_t second = reader.number(2, 0, 59);
  const std::int64_t fraction = reader.fraction();
  const char zone = reader.one_of("Zz+-");
  std::int64_t offset = 0;
  if (zone == '+' || zone == '-') {
    offset = reader.number(2, 0, 23) * 3600;
    reader.one_of(":");
    offset += reader.number(2, 0, 59) * 60;
    if (zone == '-') offset = -offset;
  }
  const std::int64_t of_day = hour * 3600 + minute * 60 + second - offset;
  if (!reader.good() || !reader.at_end() || date.day > days_in_month(date.year, date.month) ||
      days_to(date) * kSecondsPerDay + of_day < 0)
    return Parsed<std::int64_t>::bad(fmt::format("`{}` is not an instant", text.substr(0, 60)),
                                     "instants look like \"2026-01-01T00:00:00Z\", from 1970 to 2200");
  return Parsed<std::int64_t>::ok((days_to(date) * kSecondsPerDay + of_day) * kNsPerSecond + fraction);
}

std::string print_instant(std::int64_t ns) {
  CHECK(ns >= 0, "instants of scenarios begin in 1970");
  const std::int64_t seconds = ns / kNsPerSecond;
  const std::int64_t days = seconds / kSecondsPerDay;
  const std::int64_t of_day = seconds - days * kSecondsPerDay;
  const std::int64_t fraction = ns - seconds * kNsPerSecond;
  const Date date = date_of(days);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day,
                                 of_day / 3600, of_day / 60 % 60, of_day % 60);
  if (fraction != 0) text += print_decimal(fraction, 9).substr(1);
  return text + "Z";
}

}  // namespace tenure::format
