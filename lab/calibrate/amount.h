// A length of time as data files write it, exactly: "3.456ms", "0.0012", "1.5e-05", "250 us".
//
// As everywhere, integers on the text and no nearest double. Measurements may be finer than a nanosecond, which
// scenarios are not: they are rounded to the nearest one, upwards from its middle.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/syntax/units.h"

namespace tenure::sim {

// Nanoseconds in a unit by its name in a file: "ms", "milliseconds", "seconds", …; nullopt when it is none.
std::optional<std::int64_t> unit_named(std::string_view name);
// The unit that a header's name ends in: "latency_ms", "latency (ms)", "duration_seconds"; nullopt when none.
std::optional<std::int64_t> unit_in_header(std::string_view header);

struct Amount {
  Duration length;
  bool without_unit = false;  // and no unit was given for such
  std::string problem;        // "`abc` is not a number"; empty when all is well
};
// `unit` is for numbers that say none, in nanoseconds; nullopt: there is none. Never negative, a year at most.
Amount parse_amount(std::string_view text, std::optional<std::int64_t> unit);

// A decimal number times `scale`, rounded; nothing when it is no number, is negative, or does not fit.
std::optional<std::int64_t> parse_scaled(std::string_view text, std::int64_t scale);

std::string_view trimmed(std::string_view text);

}  // namespace tenure::sim
