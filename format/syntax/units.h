// Reads and writes instants, decimals and ranges as text, exactly. Only this file does it. For durations it has those
// of core/model/duration_text.h.
//
// Everything is integer arithmetic on the text: "0.1s" is 100'000'000 ns, never the nearest double. A value that cannot
// be represented exactly is not rounded: it is an error that says why. print_x(parse_x(text)) means the same as text.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/model/duration_text.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

// "2s" (both ends) or "1s..20s".
Parsed<sim::Range<Duration>> parse_duration_range(std::string_view text);
std::string print_duration_range(const sim::Range<Duration>& range);

// A whole number, or two of them: "300", "-200..200".
Parsed<sim::Range<std::int64_t>> parse_integer_range(std::string_view text);
std::string print_integer_range(const sim::Range<std::int64_t>& range);

// A decimal ("0.001", "1e-3", "20", "1_000.5") times 10^digits, as a whole number.
Parsed<std::int64_t> parse_decimal(std::string_view text, int digits);
// The inverse, without trailing zeros: print_decimal(1500, 3) is "1.5".
std::string print_decimal(std::int64_t value, int digits);

// RFC 3339, with an offset: "2026-01-01T00:00:00Z", "2026-01-01T01:00:00.5+01:00". Nanoseconds since the Unix
// epoch.
Parsed<std::int64_t> parse_instant(std::string_view text);
// Always in UTC, with as many decimals as needed.
std::string print_instant(std::int64_t ns);

// 1234567 as "1,234,567".
std::string print_thousands(std::uint64_t value);

}  // namespace tenure::format
