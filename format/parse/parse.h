// From the text of a scenario file to a Scenario and its Plans, or to every error in it, each with its place.
//
// docs/scenarios.md describes the format; keys.h is the table that it and this parser follow.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/document.h"
#include "sim/scenario/design_files.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

struct ParseResult {
  std::optional<sim::Scenario> scenario;    // set iff there are no diagnostics
  Plans plans;                              // what the file says about hunts, tunings, …
  std::vector<Diagnostic> diagnostics;      // in the order of the file
  std::optional<Duration> needs_tail = {};  // the tail is too short, and this one would do

  // Both of them. REQUIRES: there is a scenario.
  ScenarioFile file() const { return {scenario.value(), plans}; }
};

// Settings that a protocol calls unsafe. must_be_accepted: errors unless the file accepts them by name. is_taken: all
// are taken, and `accepted` gets their names.
enum class Unsafe : std::uint8_t { must_be_accepted, is_taken };

// `path` is used only in messages. Overrides are applied before anything is checked, and errors in them point at the
// flag. `zones`: the time zones of schedules. `own`: a protocol that a file may name besides those of the registry; may
// be null. `data_files` reads files of measurements, and `designs` designs; null: they are errors.
ParseResult parse_scenario(std::string_view path, std::string_view text, std::span<const Override> sets = {},
                           const TimeZones& zones = only_utc(), const ElectorKind* own = nullptr,
                           std::span<const StoreKind> engines = std::span<const StoreKind>(),
                           const sim::DataFiles* data_files = nullptr,
                           Unsafe unsafe = Unsafe::must_be_accepted,
                           const sim::DesignFiles* designs = nullptr);

}  // namespace tenure::format
