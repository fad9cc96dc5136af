// Files of measurements as tables of quantiles: the formats that docs/calibration.md describes.
//
// The bytes are handed in. What a file is, is told from its content unless the source says it.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "sim/scenario/data_files.h"

namespace tenure::sim {

// Of a file: more than that is nobody's measurement, but somebody's archive.
inline constexpr std::size_t kMaxDataBytes = std::size_t{64} << 20;

// `name` is what messages call the file.
std::variant<Measured, DataProblem> calibrate(std::string_view name, std::string_view bytes,
                                              const DataSource& source);

}  // namespace tenure::sim
