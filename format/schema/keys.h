// Every key of a scenario file, in one table. It validates files, and gives the JSON schema and the reference in
// docs/reference/scenario-keys.md.
//
// Parameters of protocols, schedulers and faults come from their own registries, and are keys like any other here.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/faults/registry.h"

namespace tenure::format {

enum class ValueType : std::uint8_t {
  boolean,
  count,     // a whole number
  ppm,       // a whole number of parts per million
  fraction,  // 0.001, kept as parts per million
  text,
  name,    // letters, digits, `-`, `_`, `.`
  choice,  // text out of a list
  names,   // a list of texts
  duration,
  duration_range,  // "5s" or "1s..20s"
  ppm_range,       // 300 or "-200..200"
  count_range,     // 3 or "2..5"
  instant,
  instants,      // a list of instants
  cron,          // a cron expression
  zone,          // the name of a time zone
  quantiles,     // "5ms" or { p50 = "1ms", p99 = "20ms" } or { file = "pg.csv" }
  lengths,       // a duration_range, or as quantiles
  target,        // "leader" or ["n1", "n2"]
  permanent_id,  // a whole number, or "0x" and hexadecimal digits
  overlap,       // "forbidden", "report" or a duration
  nth,           // a whole number, or "all"
  thresholds,    // "p90 < 20" or a list of such
  sweep,         // values to try: one, a list of them, or a range "1s..20s"
  table,
  tables,  // a list of tables
};
std::string_view name_of(ValueType type);  // for docs: "duration", "list of names", …

inline constexpr std::int64_t kYearNs = 8'760 * std::int64_t{3'600'000'000'000};

struct SectionSpec;

struct KeySpec {
  std::string_view name;
  ValueType type = ValueType::text;
  std::string_view doc;            // one line, no full stop
  std::string_view fallback = {};  // the default as written in a file, texts without quotes; empty: none
  bool required = false;
  std::int64_t min = INT64_MIN;  // both ends are allowed; nanoseconds, counts, parts per million
  std::int64_t max = INT64_MAX;
  std::span<const std::string_view> choices = {};  // choice
  const SectionSpec* section = nullptr;            // table, tables
};

// What a table may hold besides its own keys.
enum class OpenKeys : std::uint8_t {
  closed,
  protocol,           // the parameters of the protocol
  sweeps,             // the same, each with values to try
  scheduler,          // the parameters of the scheduler
  scheduling_sweeps,  // the same, each with values to try
  fault,              // the parameters of the action
  metrics,            // a threshold for any metric
};

struct SectionSpec {
  std::string_view title;  // as errors name it: "[sim]", "[[fault]]"
  std::span<const KeySpec> keys;
  OpenKeys open = OpenKeys::closed;
  std::string_view doc;
};

// The whole file.
const SectionSpec& file_spec();

// Registry tables as keys.
std::vector<KeySpec> keys_of(std::span<const ParameterSpec> parameters);
std::vector<KeySpec> keys_of(std::span<const sim::FaultParameterSpec> parameters);
std::vector<KeySpec> keys_of_metrics();
// Parameters as keys that take values to try; bounds are those of each value.
std::vector<KeySpec> sweeps_of(std::span<const ParameterSpec> parameters);

// The keys of an open table whose protocol, scheduler or action is not known: the keys of all of them, each name once.
std::vector<KeySpec> all_keys(OpenKeys open);

// Who declares a key of an open table: names of protocols, schedulers or actions.
std::vector<std::string_view> owners_of(OpenKeys open, std::string_view key);

// The shape that a text value of this type has: an ECMA regular expression, or empty when any text may do.
std::string_view pattern_of(ValueType type);

}  // namespace tenure::format
