// What `tenure probe` has measured, for people, for programs and for scenarios.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "lab/calibrate/clock_bounds.h"

namespace tenure::cli {

// What was measured.
struct ProbeFindings {
  std::string place;
  Duration length;  // how long it took
  std::vector<Duration> trips;
  std::vector<Duration> commits;
  std::optional<lab::ClockBounds> clock;  // none: the store's clock is this machine's
};

// REQUIRES: neither trips nor commits are empty.
std::string text_of(const ProbeFindings& findings);
std::string json_of(const ProbeFindings& findings);
// The tables for a scenario, with where they are from; how they begin.
inline constexpr std::string_view kTablesBegin = "# measured by `tenure probe`";
std::string toml_of(const ProbeFindings& findings);

}  // namespace tenure::cli
