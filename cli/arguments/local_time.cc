#include "cli/arguments/local_time.h"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tenure::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

std::int64_t floor_div(std::int64_t value, std::int64_t unit) {
  return value / unit - (value % unit < 0 ? 1 : 0);
}

// The first instant whose local reading is `local`; in a gap, its end.
std::int64_t utc_of(std::int64_t local, const TimeZone& zone) {
  std::size_t index = 0;
  while (local - zone.periods()[index].offset >= zone.end_of(index)) ++index;
  return std::max(local - zone.periods()[index].offset, zone.periods()[index].begin);
}

std::string print_offset(std::int32_t offset) {
  const std::int32_t size = offset < 0 ? -offset : offset;
  std::string text = fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
  if (size % 60 != 0) text += fmt::format(":{:02}", size % 60);
  return text;
}

std::string print_calendar(StoreTime time, std::int32_t offset, char between) {
  const std::int64_t utc = floor_div(time.ns(), kSecond);
  const std::int64_t decimals = time.ns() - utc * kSecond;
  const std::int64_t local = utc + offset;
  const std::int64_t day = floor_div(local, kDay);
  const std::int64_t of_day = local - day * kDay;
  const date::year_month_day ymd{date::sys_days{date::days{static_cast<int>(day)}}};
  std::string text = fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}", static_cast<int>(ymd.year()),
                                 static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                                 between, of_day / 3600, of_day / 60 % 60, of_day % 60);
  if (decimals != 0) text += format::print_decimal(decimals, 9).substr(1);
  return text;
}

constexpr std::size_t kDate = 10;     // "2026-03-28"
constexpr std::size_t kMinutes = 16;  // "2026-03-28 02:30"

bool is_local(std::string_view text) {
  return text.size() <= kDate || text.find_first_of("Zz+-", kDate) == std::string_view::npos;
}

// As an instant in full; a local time as if it were UTC.
std::string in_full(std::string_view text) {
  std::string instant(text);
  if (is_local(text))
    return instant + (text.size() == kDate ? "T00:00:00Z" : text.size() == kMinutes ? ":00Z" : "Z");
  const bool no_seconds =
      text.size() > kMinutes && std::string_view("Zz+-").find(text[kMinutes]) != std::string_view::npos;
  if (no_seconds) instant.insert(kMinutes, ":00");
  return instant;
}

// Two digits at a place; nullopt for anything else.
std::optional<unsigned> two_digits(std::string_view text, std::size_t at) {
  if (text.size() < at + 2) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(at, 2)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

// Why a text in the form of a time is none.
Parsed<StoreTime> not_a_time(std::string_view text) {
  using Result = Parsed<StoreTime>;
  const auto century = two_digits(text, 0);
  const auto of_century = two_digits(text, 2);
  const auto month = two_digits(text, 5);
  const auto day = two_digits(text, 8);
  if (century && of_century && month && day && text[4] == '-' && text[7] == '-') {
    const date::year year{static_cast<int>(*century * 100 + *of_century)};
    const date::year_month_day ymd = year / date::month{*month} / date::day{*day};
    if (*month < 1 || *month > 12)
      return Result::bad(fmt::format("there is no month {:02}", *month), "months are 01 to 12");
    if (!ymd.ok()) {
      const date::year_month_day_last last = year / date::month{*month} / date::last;
      return Result::bad(fmt::format("`{}` is no such day", text.substr(0, kDate)),
                         fmt::format("the last of this month is the {}", static_cast<unsigned>(last.day())));
    }
    const auto hour = two_digits(text, 11);
    const auto minute = two_digits(text, 14);
    const auto second = two_digits(text, 17);
    if (hour == 24U)
      return Result::bad("there is no hour 24",
                         fmt::format("midnight at the end of this day is {} 00:00",
                                     date::format("%F", date::sys_days{ymd} + date::days{1})));
    if (hour > 23U) return Result::bad(fmt::format("there is no hour {}", *hour), "hours are 00 to 23");
    if (minute > 59U)
      return Result::bad(fmt::format("there is no minute {}", *minute), "minutes are 00 to 59");
    if (second > 59U)
      return Result::bad(fmt::format("there is no second {}", *second), "seconds are 00 to 59");
  }
  return Result::bad(fmt::format("`{}` is not a time", text.substr(0, 60)),
                     "like 2026-03-28, \"2026-03-28 02:30\" or 2026-03-28T02:30:00Z, from 1970 to 2200");
}

}  // namespace

Parsed<StoreTime> parse_time(std::string_view text, const TimeZone& zone) {
  using Result = Parsed<StoreTime>;
  const Parsed<std::int64_t> parsed = format::parse_instant(in_full(text));
  if (!parsed.value) return not_a_time(text);
  const StoreTime time = StoreTime::from_ns(*parsed.value);
  if (time.ns() != *parsed.value)
    return Result::bad(fmt::format("`{}` is finer than a microsecond", text), "a store keeps no more");
  if (!is_local(text)) return Result::ok(time);
  const std::int64_t local = floor_div(time.ns(), kSecond);
  const Duration decimals = Duration::nanos(time.ns() - local * kSecond);
  return Result::ok(StoreTime::from_ns(utc_of(local, zone) * kSecond) + decimals);
}

std::string note_on_time(std::string_view text, const TimeZone& zone) {
  const Parsed<std::int64_t> reading = format::parse_instant(in_full(text));
  if (!reading.value || !is_local(text)) return {};
  const std::int64_t local = floor_div(*reading.value, kSecond);
  const std::int64_t utc = utc_of(local, zone);
  const std::size_t index = zone.period_at(utc);
  const std::string taken = print_rfc3339(StoreTime::from_ns(utc * kSecond), zone);
  if (utc + zone.periods()[index].offset != local)
    return fmt::format("`{}` does not exist in {}: the end of the gap is taken, {}", text, zone.name(),
                       taken);
  if (index + 1 < zone.periods().size() && local >= zone.end_of(index) + zone.periods()[index + 1].offset)
    return fmt::format("`{}` comes twice in {}: the first is taken, {}", text, zone.name(), taken);
  return {};
}

std::int32_t offset_at(const TimeZone& zone, StoreTime time) {
  return zone.periods()[zone.period_at(floor_div(time.ns(), kSecond))].offset;
}

std::string print_local(StoreTime time, const TimeZone& zone) {
  const std::int32_t offset = offset_at(zone, time);
  return print_calendar(time, offset, ' ') + " " + print_offset(offset);
}

std::string print_rfc3339(StoreTime time, const TimeZone& zone) {
  const std::int32_t offset = offset_at(zone, time);
  return print_calendar(time, offset, 'T') + (zone == *TimeZone::utc() ? "Z" : print_offset(offset));
}

std::string print_time_of_day(std::int64_t local) {
  const std::int64_t of_day = local - floor_div(local, kDay) * kDay;
  std::string text = fmt::format("{:02}:{:02}", of_day / 3600, of_day / 60 % 60);
  if (of_day % 60 != 0) text += fmt::format(":{:02}", of_day % 60);
  return text;
}

}  // namespace tenure::cli
