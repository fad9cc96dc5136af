// Reads scenario files from disk, and the files of measurements that they name: the content of each, or what is wrong
// with it.
//
// Thread rule: pure, except for the file system.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lease/elector_kind.h"
#include "core/schedule/time_zone.h"
#include "core/store/store_kind.h"
#include "format/parse/parse.h"
#include "format/plans/plans.h"
#include "format/syntax/document.h"
#include "sim/scenario/data_files.h"

namespace tenure::lab {

// What files may name besides what is built in, and what --set changes in each of them. Everything that it points at
// must outlive what is read.
struct ScenarioReader {
  const TimeZones* zones = &only_utc();
  const ElectorKind* own_protocol = nullptr;
  std::span<const StoreKind> engines = {};
  const sim::DataFiles* data_files = nullptr;  // null: files may not name any
  const sim::DesignFiles* designs = nullptr;   // likewise
  std::vector<format::Override> sets = {};
  format::Unsafe unsafe = format::Unsafe::must_be_accepted;
};

struct ReadScenario {
  std::string path;
  std::optional<format::ScenarioFile> file;
  std::string text = {};  // that was read
  // If there is no scenario: why the file could not be read, or what is wrong with it.
  std::string unreadable = {};
  std::vector<format::Diagnostic> diagnostics = {};
  std::optional<Duration> needs_tail = {};  // its tail is too short, and this one would do
};

inline constexpr std::string_view kStandardInput = "-";

// Each path is a file, a folder, or standard input. A folder stands for all *.toml files in it and below it, sorted by
// name.
std::vector<ReadScenario> read_scenarios(std::span<const std::string> paths, const ScenarioReader& reader);

// A scenario whose text is known.
ReadScenario parse_scenario_text(const std::string& path, std::string text, const ScenarioReader& reader);

// Files of measurements. A path is relative to the folder of the scenario that names it. A file is read each time it is
// named, up to a little more than lab/calibrate accepts. Immutable: any thread may ask.
class DataFolder final : public sim::DataFiles {
 public:
  std::variant<sim::Measured, sim::DataProblem> read(std::string_view scenario,
                                                     const sim::DataSource& source) const override;
};

}  // namespace tenure::lab
