// One setting to try: its overrides, and the scenario that they make of the file.
//
// The parser of scenario files makes a setting, so it means the same as these overrides in `tenure run`. Unsafe
// settings are taken, and marked.
//
// Thread rule: pure functions; settings are values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/time_zone.h"
#include "core/store/store_kind.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/document.h"
#include "lab/tune/lease_watch.h"
#include "sim/scenario/design_files.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// The file that settings override. Everything that it points at must outlive its users.
struct TuneFile {
  std::string path;
  std::string text;
  std::vector<format::Override> sets;  // of the command line
  const TimeZones* zones = nullptr;
  std::span<const StoreKind> engines = {};
  const sim::DataFiles* data_files = nullptr;  // that the text may name
  const sim::DesignFiles* designs = nullptr;   // likewise
  const ElectorKind* own_protocol = nullptr;   // likewise, besides those of the registry
};

// When the first fault of a scenario strikes, drawn for each seed: for what one event costs, wherever it falls. Of
// one that waits for an event, how long after it.
struct DrawnMoment {
  Duration earliest;
  Duration latest;
};

struct Setting {
  std::vector<format::Override> overrides;  // beyond those of the command line; none: the file's own
  std::vector<sim::UnsafeNote> unsafe;
  sim::Scenario scenario;             // never a canary: that would turn the verdict round
  std::optional<DrawnMoment> moment;  // none: as the file says
  std::optional<LeaseTerms> watched = {};
};

// The scenario of one run.
sim::Scenario scenario_of(const Setting& setting, std::uint64_t seed);

struct MadeSetting {
  std::optional<Setting> setting;
  std::vector<format::Diagnostic> problems;  // why there is no setting
};

MadeSetting make_setting(const TuneFile& file, std::vector<format::Override> overrides);

// The overrides with which `tenure run` takes the setting: its own, and what accepts the unsafe. `file` is the file's
// own setting.
std::vector<format::Override> overrides_to_apply(const Setting& setting, const Setting& file);

}  // namespace tenure::lab
