// From the text of a scenario file to a Scenario, or to every error in it, each with its place.
//
// docs/scenarios.md describes the format; keys.h is the table that it and this parser follow.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/scenario/toml/diagnostic.h"
#include "sim/scenario/toml/document.h"

namespace tenure::sim {

struct ParseResult {
  std::optional<Scenario> scenario;     // there iff there are no diagnostics
  std::vector<Diagnostic> diagnostics;  // in the order of the file
};

// `path` is only named. Overrides are applied before anything is judged, and errors in them point at the flag.
ParseResult parse_scenario(std::string_view path, std::string_view text, std::span<const Override> sets = {});

}  // namespace tenure::sim
