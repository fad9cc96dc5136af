// Scenario files from disk: what each of them says, or what is wrong with it.
//
// Thread rule: pure but for the file system.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/electors/registry.h"
#include "core/schedule/time_zone.h"
#include "core/store/registry.h"
#include "format/build/parse.h"
#include "format/plans/plans.h"
#include "format/syntax/document.h"

namespace tenure::lab {

// What files may name besides what is built in, and what is set over each of them. All that it points at must outlive
// whatever is read.
struct ScenarioReader {
  const TimeZones* zones = &only_utc();
  const ElectorKind* own_protocol = nullptr;
  std::span<const StoreKind> engines = {};
  const sim::DataFiles* data_files = nullptr;  // none: a file may name none
  std::vector<sim::Override> sets = {};
};

struct ReadScenario {
  std::string path;
  std::optional<sim::ScenarioFile> file;
  // Where there is no file: why it could not be read, or else what is wrong with it.
  std::string unreadable = {};
  std::vector<sim::Diagnostic> diagnostics = {};
};

// Each path is a file, or a folder whose *.toml files are meant, and those below it, by name.
std::vector<ReadScenario> read_scenarios(std::span<const std::string> paths, const ScenarioReader& reader);

}  // namespace tenure::lab
