#include "cli/local_time.h"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>

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
  if (decimals != 0) text += sim::print_decimal(decimals, 9).substr(1);
  return text;
}

}  // namespace

sim::Parsed<StoreTime> parse_time(std::string_view text, const TimeZone& zone) {
  using Result = sim::Parsed<StoreTime>;
  constexpr std::size_t kDate = 10;     // "2026-03-28"
  constexpr std::size_t kMinutes = 16;  // "2026-03-28 02:30"
  const bool is_local = text.size() <= kDate || text.find_first_of("Zz+-", kDate) == std::string_view::npos;
  std::string instant(text);
  if (is_local) instant += text.size() == kDate ? "T00:00:00Z" : text.size() == kMinutes ? ":00Z" : "Z";
  const sim::Parsed<std::int64_t> parsed = sim::parse_instant(instant);
  if (!parsed.value)
    return Result::bad(fmt::format("`{}` is not a time", text.substr(0, 60)),
                       "like 2026-03-28, \"2026-03-28 02:30\" or 2026-03-28T02:30:00Z, from 1970 to 2200");
  const StoreTime time = StoreTime::from_ns(*parsed.value);
  if (time.ns() != *parsed.value)
    return Result::bad(fmt::format("`{}` is finer than a microsecond", text), "a store keeps no more");
  if (!is_local) return Result::ok(time);
  const std::int64_t local = floor_div(time.ns(), kSecond);
  const Duration decimals = Duration::nanos(time.ns() - local * kSecond);
  return Result::ok(StoreTime::from_ns(utc_of(local, zone) * kSecond) + decimals);
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
