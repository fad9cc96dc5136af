// A duration as written in data files, read exactly: "3.456ms", "0.0012", "1.5e-05", "250 us".
//
// As everywhere, this is integer arithmetic on the text, not the nearest double. Measurements may be finer than a
// nanosecond; they are rounded to the nearest one, halves upwards.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/syntax/units.h"

namespace tenure::lab {

// Nanoseconds in a unit, by its name in a file: "ms", "milliseconds", "seconds", …; nullopt for other names.
std::optional<std::int64_t> unit_named(std::string_view name);
// The unit that a header's name ends in: "latency_ms", "latency (ms)", "duration_seconds"; nullopt when none.
std::optional<std::int64_t> unit_in_header(std::string_view header);

struct Amount {
  Duration length;
  bool without_unit = false;  // and no default unit was given
  std::string problem;        // "`abc` is not a number"; empty when all is well
};
// `unit`, in nanoseconds, is for numbers without a unit; nullopt: there is none. The result is never negative, and at
// most a year.
Amount parse_amount(std::string_view text, std::optional<std::int64_t> unit);

// A decimal number times `scale`, rounded; nullopt when it is not a number, is negative, or does not fit.
std::optional<std::int64_t> parse_scaled(std::string_view text, std::int64_t scale);

std::string_view trimmed(std::string_view text);

}  // namespace tenure::lab
