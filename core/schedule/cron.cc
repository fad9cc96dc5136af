#include "core/schedule/cron.h"

#include <date/date.h>

#include <algorithm>
#include <bit>

namespace tenure {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kSearchedMonths = 400 * 12;  // the calendar repeats after 400 years

struct Day {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

std::int64_t floor_div(std::int64_t value, std::int64_t unit) {
  return value / unit - (value % unit < 0 ? 1 : 0);
}

Day day_of(std::int64_t number) {
  const date::year_month_day ymd{date::sys_days{date::days{static_cast<int>(number)}}};
  return {static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day())};
}

std::int64_t number_of(std::int64_t year, unsigned month, unsigned day) {
  const date::year_month_day ymd{date::year{static_cast<int>(year)}, date::month{month}, date::day{day}};
  return date::sys_days{ymd}.time_since_epoch().count();
}

unsigned length_of(std::int64_t year, unsigned month) {
  const date::year_month_day_last last{date::year{static_cast<int>(year)},
                                       date::month_day_last{date::month{month}}};
  return static_cast<unsigned>(last.day());
}

// 1970-01-01 was a Thursday.
unsigned weekday_of(std::int64_t number) { return static_cast<unsigned>(((number + 4) % 7 + 7) % 7); }

// The bits from `from` on, and those up to `to`. REQUIRES: 0 <= n < 64.
std::uint64_t bits_from(std::int64_t from) { return ~std::uint64_t{0} << from; }
std::uint64_t bits_up_to(std::int64_t to) { return ~std::uint64_t{0} >> (63 - to); }

// The least value in the set at or above `n`, the greatest at or below; -1 for none.
int at_least(std::uint64_t set, std::int64_t n) {
  const std::uint64_t left = n > 63 ? 0 : set & bits_from(n);
  return left == 0 ? -1 : std::countr_zero(left);
}
int at_most(std::uint64_t set, std::int64_t n) {
  const std::uint64_t left = n < 0 ? 0 : set & bits_up_to(n);
  return left == 0 ? -1 : 63 - std::countl_zero(left);
}

bool has(std::uint64_t set, std::int64_t n) { return n < 64 && (set >> n & 1) != 0; }

// A time of day, in seconds.
struct ClockTime {
  std::int64_t hour;
  std::int64_t minute;
  std::int64_t second;
};
ClockTime clock_of(std::int64_t time) { return {time / 3'600, time / 60 % 60, time % 60}; }
std::int64_t time_of(std::int64_t hour, std::int64_t minute, std::int64_t second) {
  return hour * 3'600 + minute * 60 + second;
}

// `weekdays` spread over the days of a month whose first is a `first`: bit d for day d, up to 35.
std::uint64_t spread(std::uint8_t weekdays, unsigned first) {
  const std::uint64_t week =
      static_cast<std::uint64_t>((weekdays >> first) | (weekdays << (7 - first))) & 0x7f;
  return (week | week << 7 | week << 14 | week << 21 | week << 28) << 1;
}

}  // namespace

std::uint32_t Cron::days_of(std::int64_t year, unsigned month) const {
  if (!has(months_, month)) return 0;
  const unsigned length = length_of(year, month);
  const unsigned first = weekday_of(number_of(year, month, 1));
  const auto weekday = [first](unsigned day) { return (first + day - 1) % 7; };
  const auto weekday_near = [&](unsigned day) {
    if (weekday(day) == 6) return day > 1 ? day - 1 : day + 2;
    if (weekday(day) == 0) return day < length ? day + 1 : day - 2;
    return day;
  };

  std::uint64_t by_day = days_;
  for (unsigned n = 0; n < length; ++n)
    if (has(from_last_, n)) by_day |= std::uint64_t{1} << (length - n);
  for (unsigned day = 1; day <= length; ++day)
    if (has(nearest_, day)) by_day |= std::uint64_t{1} << weekday_near(day);
  if (last_weekday_) {
    unsigned day = length;
    while (weekday(day) == 0 || weekday(day) == 6) --day;
    by_day |= std::uint64_t{1} << day;
  }

  std::uint64_t by_weekday = spread(weekdays_, first);
  for (unsigned n = 0; n < nth_of_week_.size(); ++n) {
    if (nth_of_week_[n] != 0)
      by_weekday |= spread(nth_of_week_[n], first) & (std::uint64_t{0x7f} << (7 * n + 1));
  }
  if (last_of_week_ != 0) by_weekday |= spread(last_of_week_, first) & (std::uint64_t{0x7f} << (length - 6));

  const std::uint64_t in_month = bits_up_to(length) & bits_from(1);
  return static_cast<std::uint32_t>((both_days_ ? by_day & by_weekday : by_day | by_weekday) & in_month);
}

std::int64_t Cron::time_at_or_after(std::int64_t time) const {
  const auto [hour, minute, second] = clock_of(time);
  const bool in_hour = has(hours_, hour);
  const bool in_minute = in_hour && has(minutes_, minute);
  const int first_minute = at_least(minutes_, 0);
  const int first_second = at_least(seconds_, 0);
  if (const int found = in_minute ? at_least(seconds_, second) : -1; found >= 0)
    return time_of(hour, minute, found);
  if (const int found = in_hour ? at_least(minutes_, minute + 1) : -1; found >= 0)
    return time_of(hour, found, first_second);
  const int found = at_least(hours_, hour + 1);
  return found < 0 ? -1 : time_of(found, first_minute, first_second);
}

std::int64_t Cron::time_at_or_before(std::int64_t time) const {
  const auto [hour, minute, second] = clock_of(time);
  const bool in_hour = has(hours_, hour);
  const bool in_minute = in_hour && has(minutes_, minute);
  const int last_minute = at_most(minutes_, 59);
  const int last_second = at_most(seconds_, 59);
  if (const int found = in_minute ? at_most(seconds_, second) : -1; found >= 0)
    return time_of(hour, minute, found);
  if (const int found = in_hour ? at_most(minutes_, minute - 1) : -1; found >= 0)
    return time_of(hour, found, last_second);
  const int found = at_most(hours_, hour - 1);
  return found < 0 ? -1 : time_of(found, last_minute, last_second);
}

std::optional<std::int64_t> Cron::at_or_after(std::int64_t local) const {
  const std::int64_t number = floor_div(local, kDay);
  Day day = day_of(number);
  std::uint32_t days = days_of(day.year, day.month);
  if (has(days, day.day)) {
    const std::int64_t time = time_at_or_after(local - number * kDay);
    if (time >= 0) return number * kDay + time;
  }
  int found = at_least(days, std::int64_t{day.day} + 1);
  for (std::int64_t searched = 0; found < 0; ++searched) {
    if (searched == kSearchedMonths) return std::nullopt;
    if (++day.month > 12) {
      day.month = 1;
      ++day.year;
    }
    found = at_least(days_of(day.year, day.month), 1);
  }
  return number_of(day.year, day.month, static_cast<unsigned>(found)) * kDay + time_at_or_after(0);
}

std::optional<std::int64_t> Cron::at_or_before(std::int64_t local) const {
  const std::int64_t number = floor_div(local, kDay);
  Day day = day_of(number);
  std::uint32_t days = days_of(day.year, day.month);
  if (has(days, day.day)) {
    const std::int64_t time = time_at_or_before(local - number * kDay);
    if (time >= 0) return number * kDay + time;
  }
  int found = at_most(days, std::int64_t{day.day} - 1);
  for (std::int64_t searched = 0; found < 0; ++searched) {
    if (searched == kSearchedMonths) return std::nullopt;
    if (--day.month < 1) {
      day.month = 12;
      --day.year;
    }
    found = at_most(days_of(day.year, day.month), 31);
  }
  return number_of(day.year, day.month, static_cast<unsigned>(found)) * kDay + time_at_or_before(kDay - 1);
}

std::int64_t Cron::times_before(std::int64_t time) const {
  const auto below = [](std::uint64_t set, std::int64_t n) {
    return n == 0 ? 0 : std::popcount(set & bits_up_to(n - 1));
  };
  const std::int64_t hour = time / 3'600;
  const std::int64_t minute = time / 60 % 60;
  const std::int64_t an_hour = std::int64_t{std::popcount(minutes_)} * std::popcount(seconds_);
  std::int64_t count = below(hours_, hour) * an_hour;
  if (!has(hours_, hour)) return count;
  count += below(minutes_, minute) * std::int64_t{std::popcount(seconds_)};
  if (!has(minutes_, minute)) return count;
  return count + below(seconds_, time % 60);
}

std::int64_t Cron::count(std::int64_t from, std::int64_t to) const {
  if (from >= to) return 0;
  const std::int64_t a_day = times_before(kDay);
  const std::int64_t first = floor_div(from, kDay);
  const std::int64_t last = floor_div(to, kDay);  // its times before `to` count, too
  std::int64_t total = 0;
  Day day = day_of(first);
  for (std::int64_t number = first; number <= last;) {
    const auto end = number_of(day.year, day.month, length_of(day.year, day.month)) + 1;
    std::uint64_t days = days_of(day.year, day.month) & bits_from(day.day);
    if (end > last) days &= bits_up_to(std::int64_t{day.day} + last - number);
    total += std::popcount(days) * a_day;
    if (number == first && has(days, day.day)) total -= times_before(from - first * kDay);
    if (end > last && has(days, day.day + last - number)) total -= a_day - times_before(to - last * kDay);
    number = end;
    day = {day.month == 12 ? day.year + 1 : day.year, day.month % 12 + 1, 1};
  }
  return total;
}

}  // namespace tenure
