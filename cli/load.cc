#include "cli/load.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "adapters/tzdb/tzdb.h"
#include "cli/data_files.h"
#include "cli/engines.h"
#include "cli/read_file.h"
#include "cli/reports/text/text_format.h"
#include "format/build/parse.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::string path;
  std::string problem;  // a folder that cannot be read
};

// Folders replaced by the scenarios in them and below them, in alphabetical order.
std::vector<Found> expand(std::span<const std::string> paths) {
  std::vector<Found> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, {}});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      std::error_code unknown;  // what cannot be told from a file is tried as one
      if (it->path().extension() == ".toml" && !it->is_directory(unknown))
        inside.push_back(it->path().string());
    }
    if (error) files.push_back({path, error.message()});
    std::sort(inside.begin(), inside.end());
    for (std::string& file : inside) files.push_back({std::move(file), {}});
  }
  return files;
}

}  // namespace

const TimeZones& system_zones() {
  static const Tzdb zones;
  return zones;
}

Loaded load(std::span<const std::string> paths, std::span<const sim::Override> sets,
            std::string_view consequence, Streams& streams) {
  const DataFolder data_files;
  Loaded loaded;
  std::size_t errors = 0;
  for (const auto& [path, problem] : expand(paths)) {
    std::string why = problem;
    const std::optional<std::string> text =
        problem.empty() ? read_file(path, sim::kMaxBytes + 1, why) : std::nullopt;
    if (!text) {
      ++errors;
      print_error(streams, "cannot read " + sim::printable(path, 400) + ": " + why);
      loaded.code = worse(loaded.code, ExitCode::io_error);
      loaded.unusable.push_back({path, "cannot be read: " + why});
      continue;
    }
    const sim::ParseResult parsed =
        sim::parse_scenario(path, *text, sets, system_zones(), nullptr, store_engines(), &data_files);
    if (parsed.scenario) {
      for (const std::string& warning : parsed.scenario->warnings)
        print_warning(streams, sim::printable(path, 400) + ": " + warning);
      loaded.files.push_back(parsed.file());
      continue;
    }
    errors += parsed.diagnostics.size();
    for (const sim::Diagnostic& diagnostic : parsed.diagnostics)
      streams.err << sim::render(diagnostic, streams.paint_err);
    loaded.code = worse(loaded.code, ExitCode::bad_scenario);
    loaded.unusable.push_back({path, "is no scenario: " + parsed.diagnostics.front().message});
  }
  if (errors > 0)
    streams.err << counted(errors, "error") << (consequence.empty() ? "" : "; ") << consequence << "\n";
  return loaded;
}

}  // namespace tenure::cli
