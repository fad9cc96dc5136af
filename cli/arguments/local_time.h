// Times as people write and read them in a time zone.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/schedule/time_zone.h"
#include "format/syntax/units.h"

namespace tenure::cli {

// A date ("2026-03-28": its midnight), a date and a time ("2026-03-28 02:30", seconds and decimals as one likes), both
// in `zone`, or an instant ("2026-03-28T02:30:00Z", with Z or an offset). Of a local time that exists twice, the first;
// of one that does not exist, the end of the gap. Seconds may be left out of either.
Parsed<StoreTime> parse_time(std::string_view text, const TimeZone& zone);
// What parse_time chose where a local time does not exist or exists twice; empty for all others, and what is no time.
std::string note_on_time(std::string_view text, const TimeZone& zone);

// The offset from UTC in seconds, at an instant.
std::int32_t offset_at(const TimeZone& zone, StoreTime time);

// "2026-03-29 03:00:00 +02:00", with as many decimals as it takes.
std::string print_local(StoreTime time, const TimeZone& zone);
// "2026-03-29T03:00:00+02:00", and "…Z" in UTC.
std::string print_rfc3339(StoreTime time, const TimeZone& zone);

// The seconds of a local calendar as a time of day: "02:30", "02:30:15".
std::string print_time_of_day(std::int64_t local);

}  // namespace tenure::cli
