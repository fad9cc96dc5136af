// The rule at the end of a TZif file (RFC 8536, 3.3). It holds after the file's last explicit clock change, and is
// written like POSIX's TZ variable with zic's extensions: "CET-1CEST,M3.5.0,M10.5.0/3",
// "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1".
//
// This is our own code, because date's ptz.h does not compile as C++20 with the compilers of Debian 12.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/schedule/time_zone.h"

namespace tenure {

struct PosixRule {
  // A day of each year, and a time on it.
  struct Yearly {
    enum class Kind : std::uint8_t {
      julian,   // Jn: day n, from 1, of a year that has no February 29
      day,      // n: day n, from 0
      weekday,  // Mm.w.d: the w-th weekday d of month m; the last for w = 5
    };
    Kind kind = Kind::day;
    std::int32_t day = 0;  // julian, day: the day; weekday: 0 for Sunday
    std::uint32_t month = 1;
    std::uint32_t week = 1;
    std::int32_t time = 7'200;  // seconds of the local clock, from -167 h to 167 h
  };
  struct Summer {
    std::int32_t offset = 0;
    Yearly begin;  // read by the standard clock
    Yearly end;    // read by the summer clock
  };
  std::int32_t offset = 0;  // of standard time, east is positive
  std::optional<Summer> summer;
};

// nullopt when the text is not such a rule.
std::optional<PosixRule> parse_posix_rule(std::string_view text);

// Appends the changes that the rule makes after the last of `periods`, up to and including `until` (in seconds since
// the epoch). REQUIRES: periods is not empty.
void continue_periods(const PosixRule& rule, std::int64_t until, std::vector<TimeZone::Period>& periods);

// Appends a period, unless it changes nothing. A period that begins together with the last one replaces it.
void append_period(TimeZone::Period period, std::vector<TimeZone::Period>& periods);

}  // namespace tenure
