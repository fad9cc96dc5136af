#include "cli/load.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "adapters/tzdb/tzdb.h"
#include "cli/designs.h"
#include "cli/engines.h"
#include "cli/reports/text/text_format.h"
#include "format/syntax/diagnostic.h"
#include "lab/session/scenario_reader.h"

namespace tenure::cli {
const TimeZones& system_zones() {
  static const Tzdb zones;
  return zones;
}

lab::ScenarioReader scenario_reader(std::span<const format::Override> sets) {
  static const lab::DataFolder data_files;
  return {.zones = &system_zones(),
          .engines = store_engines(),
          .data_files = &data_files,
          .designs = &design_files(),
          .sets = {sets.begin(), sets.end()}};
}

Loaded say_problems(std::vector<lab::ReadScenario> read, std::string_view consequence, Streams& streams) {
  Loaded loaded;
  std::size_t errors = 0;
  for (lab::ReadScenario& each : read) {
    const std::string path = format::printable(each.path, 400);
    if (each.file) {
      for (const std::string& warning : each.file->scenario.warnings)
        print_warning(streams, path + ": " + warning);
      loaded.files.push_back(*std::move(each.file));
    } else if (each.diagnostics.empty()) {
      ++errors;
      print_error(streams, "cannot read " + path + ": " + each.unreadable);
      loaded.code = worse(loaded.code, ExitCode::io_error);
      loaded.unusable.push_back({each.path, "cannot be read: " + each.unreadable});
    } else {
      errors += each.diagnostics.size();
      for (const format::Diagnostic& diagnostic : each.diagnostics)
        streams.err << format::render(diagnostic, streams.paint_err);
      loaded.code = worse(loaded.code, ExitCode::bad_scenario);
      loaded.unusable.push_back({each.path, "is no scenario: " + each.diagnostics.front().message});
    }
  }
  if (errors > 0)
    streams.err << counted(errors, "error") << (consequence.empty() ? "" : "; ") << consequence << "\n";
  return loaded;
}

Loaded load(std::span<const std::string> paths, std::span<const format::Override> sets,
            std::string_view consequence, Streams& streams) {
  return say_problems(lab::read_scenarios(paths, scenario_reader(sets)), consequence, streams);
}

std::optional<lab::TuneTask> read_tune_file(std::string_view command, const std::string& path,
                                            const std::vector<format::Override>& sets, format::Unsafe unsafe,
                                            ExitCode& code, Streams& streams) {
  const std::vector<std::string> paths = {path};
  lab::ScenarioReader reader = scenario_reader(sets);
  std::vector<lab::ReadScenario> read = lab::read_scenarios(paths, reader);
  bool refused = false;
  if (unsafe == format::Unsafe::is_taken && read.size() == 1 && !read.front().diagnostics.empty()) {
    reader.unsafe = unsafe;
    lab::ReadScenario taken = lab::parse_scenario_text(read.front().path, read.front().text, reader);
    refused = taken.file.has_value();
    if (refused) read.front() = std::move(taken);
  }
  std::string text = read.size() == 1 ? read.front().text : "";
  const Loaded loaded = say_problems(std::move(read), "nothing was run", streams);
  code = loaded.code;
  if (loaded.files.size() != 1 || code != ExitCode::pass) {
    if (code == ExitCode::pass) {
      print_error(streams, fmt::format("{} takes one file, and {} holds {}", command, path,
                                       counted(loaded.files.size(), "scenario")));
      code = ExitCode::usage;
    }
    return std::nullopt;
  }
  lab::TuneTask task = lab::tune_task(loaded.files.front(), std::move(text), reader);
  task.is_refused = refused;
  return task;
}

}  // namespace tenure::cli
