// The keys of a distribution: a table of quantiles, or a file of measurements.
//
// The table made from a file has exactly these quantiles, so that it can be printed and read again.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/schema/keys.h"
#include "sim/models/quantiles.h"

namespace tenure::format {

struct QuantileColumn {
  std::string_view name;
  std::int64_t at;  // parts per million
};
inline constexpr QuantileColumn kQuantileColumns[] = {
    {"min", 0},        {"p1", 10'000},     {"p5", 50'000},
    {"p10", 100'000},  {"p25", 250'000},   {"p50", 500'000},
    {"p75", 750'000},  {"p90", 900'000},   {"p95", 950'000},
    {"p98", 980'000},  {"p99", 990'000},   {"p995", 995'000},
    {"p999", 999'000}, {"p9999", 999'900}, {"max", sim::Quantiles::kOne}};

inline constexpr std::string_view kDataUnits[] = {"ns", "us", "ms", "s", "m", "h"};
inline constexpr std::string_view kDataFormats[] = {"numbers", "csv", "gc", "prometheus"};
inline constexpr std::string_view kDataTakes[] = {"lengths", "gaps"};

extern const SectionSpec kQuantilesSection;  // { p50 = "1ms", p99 = "20ms" }
extern const SectionSpec kDataSection;       // { file = "pg.csv" }

}  // namespace tenure::format
