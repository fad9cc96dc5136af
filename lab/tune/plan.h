// Which settings are tried: every combination (a grid), or points that fill the space evenly (Halton 1960).
//
// Values of a span are rounded to steps that people would write: 1, 2 or 5 of some power of ten.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/plans/tune_setting.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

// One value for each parameter, in the order of the parameters.
using TunePoint = std::vector<std::int64_t>;

inline constexpr std::size_t kMostSettings = 10'000;

// Each point once; nullopt when there are more than kMostSettings.
std::optional<std::vector<TunePoint>> plan_points(const format::TuneSetting& tune);

std::vector<format::Override> overrides_of(const std::vector<format::TuneParameter>& parameters,
                                           const TunePoint& point);

}  // namespace tenure::lab
