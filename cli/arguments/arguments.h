// Arguments that several commands take, from text to what they mean. What is wrong is a UsageError.
//
// Thread rule: pure functions.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/options.h"
#include "format/syntax/suggest.h"

namespace tenure::cli {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};
// One of those formats.
template <class Formats>
auto find_format(std::string_view name, const Formats& formats) {
  std::vector<std::string_view> names;
  for (const auto& each : formats) {
    if (each.name == name) return each.value;
    names.push_back(each.name);
  }
  throw UsageError(fmt::format("unknown format `{}`: {}", name, format::suggestion(name, names)));
}

std::uint64_t parse_seed(std::string_view text);
SeedRange parse_seeds(std::string_view text);          // "A..B", or "N" for 1..N
std::uint64_t parse_run_count(std::string_view text);  // --seeds of what runs each setting N times
Duration parse_time(std::string_view flag, std::string_view text);  // above zero
unsigned parse_jobs(std::string_view text);
format::Override parse_override(const std::string& text);                  // "key=value"
Format parse_format(std::string_view name);                                // text or json
Format parse_report_format(std::string_view name);                         // any
TimeRange parse_time_range(std::string_view flag, std::string_view text);  // "A..B"
EventList parse_event_list(std::string_view name);                         // matters or all
lab::TraceLevel parse_trace_level(std::string_view name);                  // story or full

}  // namespace tenure::cli
