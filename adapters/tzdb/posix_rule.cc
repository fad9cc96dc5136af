#include "adapters/tzdb/posix_rule.h"

#include <date/date.h>

#include <algorithm>

namespace tenure {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int32_t kHour = 3'600;

// Reads pieces off the front of a text; after the first that is not there, nothing is good any more.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { good_ = take(c) && good_; }

  // "CET", or anything in angle brackets.
  void name() {
    const std::size_t length = next_is('<') ? rest_.find('>') : letters();
    if (length == std::string_view::npos || length == 0) {
      good_ = false;
      return;
    }
    rest_.remove_prefix(next_is('<') ? length + 1 : length);
  }

  std::int32_t number(std::int32_t low, std::int32_t high) {
    std::int32_t value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && digits < rest_.size() && is_digit(rest_[digits]); ++digits)
      value = value * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    if (digits == 0 || value < low || value > high) good_ = false;
    return value;
  }

  // [+-]hh[:mm[:ss]]
  std::int32_t time(std::int32_t most_hours) {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int32_t value = number(0, most_hours) * kHour;
    if (take(':')) value += number(0, 59) * 60;
    if (take(':')) value += number(0, 59);
    return negative ? -value : value;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  std::size_t letters() const {
    return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_letter) - rest_.begin());
  }

  std::string_view rest_;
  bool good_ = true;
};

PosixRule::Yearly read_yearly(Reader& reader) {
  PosixRule::Yearly yearly;
  if (reader.take('M')) {
    yearly.kind = PosixRule::Yearly::Kind::weekday;
    yearly.month = static_cast<std::uint32_t>(reader.number(1, 12));
    reader.expect('.');
    yearly.week = static_cast<std::uint32_t>(reader.number(1, 5));
    reader.expect('.');
    yearly.day = reader.number(0, 6);
  } else if (reader.take('J')) {
    yearly.kind = PosixRule::Yearly::Kind::julian;
    yearly.day = reader.number(1, 365);
  } else {
    yearly.day = reader.number(0, 365);
  }
  if (reader.take('/')) yearly.time = reader.time(167);
  return yearly;
}

// Seconds of the local clock at which the day and time of `year` come.
std::int64_t local_time_of(const PosixRule::Yearly& yearly, date::year year) {
  date::sys_days day = date::sys_days{year / date::January / 1};
  switch (yearly.kind) {
    case PosixRule::Yearly::Kind::day: day += date::days{yearly.day}; break;
    case PosixRule::Yearly::Kind::julian:
      day += date::days{yearly.day - 1 + (year.is_leap() && yearly.day > 59 ? 1 : 0)};
      break;
    case PosixRule::Yearly::Kind::weekday: {
      const date::month month{yearly.month};
      const date::weekday weekday{static_cast<unsigned>(yearly.day)};
      day = yearly.week == 5 ? date::sys_days{year / month / weekday[date::last]}
                             : date::sys_days{year / month / weekday[yearly.week]};
      break;
    }
  }
  return day.time_since_epoch().count() * kDay + yearly.time;
}

// Of an instant after the year 1600.
date::year year_of(std::int64_t utc) {
  const std::int64_t day = utc / kDay - (utc % kDay < 0 ? 1 : 0);
  return date::year_month_day{date::sys_days{date::days{static_cast<int>(day)}}}.year();
}

constexpr int kFirstYear = 1676;  // StoreTime begins in 1677

}  // namespace

std::optional<PosixRule> parse_posix_rule(std::string_view text) {
  Reader reader(text);
  PosixRule rule;
  reader.name();
  rule.offset = -reader.time(24);  // POSIX counts west
  if (reader.at_end()) return reader.good() ? std::optional(rule) : std::nullopt;
  PosixRule::Summer summer;
  reader.name();
  summer.offset = reader.next_is(',') ? rule.offset + kHour : -reader.time(24);
  reader.expect(',');
  summer.begin = read_yearly(reader);
  reader.expect(',');
  summer.end = read_yearly(reader);
  rule.summer = summer;
  return reader.good() && reader.at_end() ? std::optional(rule) : std::nullopt;
}

void append_period(TimeZone::Period period, std::vector<TimeZone::Period>& periods) {
  if (!periods.empty() && periods.back().begin == period.begin) periods.pop_back();
  if (periods.empty() || periods.back().offset != period.offset) periods.push_back(period);
}

void continue_periods(const PosixRule& rule, std::int64_t until, std::vector<TimeZone::Period>& periods) {
  if (!rule.summer) return;
  const std::int64_t last = periods.back().begin;
  std::vector<TimeZone::Period> changes;
  const date::year first = last == TimeZone::kAlways ? date::year{kFirstYear} : year_of(last);
  for (date::year year = first; year <= year_of(until) + date::years{1}; ++year) {
    changes.push_back({local_time_of(rule.summer->begin, year) - rule.offset, rule.summer->offset});
    changes.push_back({local_time_of(rule.summer->end, year) - rule.summer->offset, rule.offset});
  }
  // Summer may begin as the last one ends, at the turn of a year: then it never ended.
  std::sort(changes.begin(), changes.end(), [&](const TimeZone::Period& a, const TimeZone::Period& b) {
    return a.begin != b.begin ? a.begin < b.begin
                              : a.offset == rule.offset && b.offset == rule.summer->offset;
  });
  for (const TimeZone::Period& change : changes)
    if (change.begin > last && change.begin <= until) append_period(change, periods);
}

}  // namespace tenure
