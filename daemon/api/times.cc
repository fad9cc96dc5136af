#include "daemon/api/times.h"

#include <date/date.h>
#include <fmt/format.h>

#include "format/syntax/units.h"

namespace tenure::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

std::int64_t floor_div(std::int64_t value, std::int64_t unit) {
  return value / unit - (value % unit < 0 ? 1 : 0);
}

// "2026-11-24T14:00:00", of seconds of a calendar.
std::string print_calendar(std::int64_t seconds) {
  const std::int64_t day = floor_div(seconds, kDay);
  const std::int64_t of_day = seconds - day * kDay;
  const date::year_month_day ymd{date::sys_days{date::days{static_cast<int>(day)}}};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), of_day / 3600,
                     of_day / 60 % 60, of_day % 60);
}

}  // namespace

std::string print_utc(StoreTime time) {
  const std::int64_t seconds = floor_div(time.ns(), kSecond);
  return fmt::format("{}.{:06}Z", print_calendar(seconds), (time.ns() - seconds * kSecond) / 1'000);
}

std::string print_local(StoreTime time, const TimeZone& zone) {
  const std::int64_t seconds = floor_div(time.ns(), kSecond);
  const std::int64_t micros = (time.ns() - seconds * kSecond) / 1'000;
  const std::int32_t offset = zone.periods()[zone.period_at(seconds)].offset;
  const std::int32_t size = offset < 0 ? -offset : offset;
  std::string text = print_calendar(seconds + offset);
  if (micros != 0) text += fmt::format(".{:06}", micros);
  return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

std::string print_left(Duration left) { return print_duration(Duration::millis(left.ns() / 1'000'000)); }

}  // namespace tenure::daemon
