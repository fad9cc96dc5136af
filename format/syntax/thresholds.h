// A threshold as text: "p90 < 20".
//
// Thread rule: pure functions.
#pragma once

#include <string_view>

#include "format/syntax/units.h"

namespace tenure::format {

// `text` of the result is in one spelling: "p90<20" becomes "p90 < 20".
//
// A statistic (mean, min, max, or pN with N above 0 and below 100), a comparison (<, <=, >, >=) and a number.
Parsed<sim::Threshold> parse_threshold(std::string_view metric, std::string_view text);

}  // namespace tenure::format
