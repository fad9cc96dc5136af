// Times as texts, in the one form that nobody can read in two ways: 2026-03-01 12:00:00.5+00.
#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "adapters/sql/literals.h"
#include "adapters/sql/statement_errors.h"
#include "core/base/int128.h"

namespace tenure::sql {
namespace {

constexpr std::size_t kMostDigits = 6;  // of a second's fraction

class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : whole_(text), rest_(text) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.back() == ' ') rest_.remove_suffix(1);
  }

  std::int64_t read() {
    const int year = digits(4);
    mark('-');
    const int month = digits(2);
    mark('-');
    const int day = digits(2);
    const date::year_month_day date{date::year(year), date::month(static_cast<unsigned>(month)),
                                    date::day(static_cast<unsigned>(day))};
    std::int64_t seconds = 0, micros = 0, offset = 0;
    if (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == 'T')) {
      rest_.remove_prefix(1);
      seconds = time_of_day(micros);
      offset = zone();
    }
    if (!rest_.empty()) other_form();
    if (!date.ok() || year == 0) out_of_range();
    const std::int64_t days = date::sys_days(date).time_since_epoch().count();
    const int128 total = (int128{days} * 86'400 + seconds - offset) * kMicrosPerSecond + micros;
    if (total > kMostMicros || total < -kMostMicros)
      throw RefusedError{fmt::format("a time as far away as '{}'", whole_)};
    return static_cast<std::int64_t>(total);
  }

 private:
  std::int64_t time_of_day(std::int64_t& micros) {
    const int hour = digits(2);
    mark(':');
    const int minute = digits(2);
    int second = 0;
    if (rest_.starts_with(":")) {
      mark(':');
      second = digits(2);
      if (rest_.starts_with(".")) micros = fraction();
    }
    const bool midnight = hour == 24 && minute == 0 && second == 0 && micros == 0;
    // Postgres takes a 60th second for the next minute's first.
    if ((hour > 23 && !midnight) || minute > 59 || second > 60) out_of_range();
    if (second == 60 && micros != 0) out_of_range();
    return std::int64_t{3'600} * hour + 60 * minute + second;
  }
  std::int64_t fraction() {
    mark('.');
    std::int64_t value = 0;
    std::size_t length = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      if (++length > kMostDigits) throw RefusedError{fmt::format("parts of a microsecond: '{}'", whole_)};
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    for (; length < kMostDigits; ++length) value *= 10;
    return value;
  }
  // Seconds east of Greenwich.
  std::int64_t zone() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_ == "Z" || rest_ == "z" || rest_ == "UTC") {
      rest_ = {};
      return 0;
    }
    if (rest_.empty()) return 0;
    const bool west = rest_.front() == '-';
    if (!west && rest_.front() != '+') other_form();
    rest_.remove_prefix(1);
    const int hours = digits(2);
    int minutes = 0;
    if (rest_.starts_with(":")) rest_.remove_prefix(1);
    if (!rest_.empty()) minutes = digits(2);
    if (hours > 15 || minutes > 59)
      throw FailedError{"22009", fmt::format("time zone displacement out of range: \"{}\"", whole_)};
    const std::int64_t offset = std::int64_t{3'600} * hours + 60 * minutes;
    return west ? -offset : offset;
  }
  int digits(std::size_t count) {
    int value = 0;
    const char* const begin = rest_.data();
    const bool there = rest_.size() >= count &&
                       std::all_of(begin, begin + count, [](char c) { return c >= '0' && c <= '9'; });
    if (!there) other_form();
    std::from_chars(begin, begin + count, value);
    rest_.remove_prefix(count);
    return value;
  }
  void mark(char c) {
    if (rest_.empty() || rest_.front() != c) other_form();
    rest_.remove_prefix(1);
  }
  [[noreturn]] void out_of_range() const {
    throw FailedError{"22008", fmt::format("date/time field value out of range: \"{}\"", whole_)};
  }
  // Postgres reads many forms, and 'tomorrow'. An interval is none of them, and the usual mistake: now() - '5 s'.
  [[noreturn]] void other_form() const {
    bool is_interval = true;
    try {
      (void)read_interval(whole_);
    } catch (const RefusedError&) {
    } catch (const FailedError&) {
      is_interval = false;
    }
    if (is_interval || whole_.empty())
      throw FailedError{
          "22007", fmt::format("invalid input syntax for type timestamp with time zone: \"{}\"", whole_)};
    throw RefusedError{fmt::format("a time written as '{}'", whole_), kNoPlace,
                       "write it as '2026-03-01 12:00:00+00'"};
  }

  std::string_view whole_;
  std::string_view rest_;
};

}  // namespace

std::int64_t read_timestamptz(std::string_view text) { return TimestampReader(text).read(); }

}  // namespace tenure::sql
