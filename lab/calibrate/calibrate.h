// Turns files of measurements into tables of quantiles. docs/calibration.md describes the formats.
//
// The caller hands in the bytes. The format is detected from the content, unless the source names it.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "sim/scenario/data_files.h"

namespace tenure::lab {

// The largest file: a larger one is an archive and not a measurement.
inline constexpr std::size_t kMaxDataBytes = std::size_t{64} << 20;

// `name` is what messages call the file.
std::variant<sim::Measured, sim::DataProblem> calibrate(std::string_view name, std::string_view bytes,
                                                        const sim::DataSource& source);

}  // namespace tenure::lab
