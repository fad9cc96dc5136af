#include "cli/tune_task.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/data_files.h"
#include "cli/engines.h"
#include "cli/load.h"
#include "cli/read_file.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {

std::optional<TuneTask> read_tune_task(const TuneOptions& options, ExitCode& code, Streams& streams) {
  const std::vector<std::string> paths = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  code = loaded.code;
  if (loaded.files.size() != 1 || code != ExitCode::pass) {
    if (code == ExitCode::pass) {
      print_error(streams, fmt::format("tune takes one file, and {} holds {}", options.path,
                                       counted(loaded.files.size(), "scenario")));
      code = ExitCode::usage;
    }
    return std::nullopt;
  }
  const sim::Scenario& scenario = loaded.files.front().scenario;
  const sim::Plans& plans = loaded.files.front().plans;
  TuneTask task;
  std::string why;
  static const DataFolder data_files;  // settings read them again, whoever holds the task
  task.file = {scenario.path,   read_file(scenario.path, sim::kMaxBytes, why).value_or(""),
               options.sets,    &system_zones(),
               store_engines(), &data_files};
  task.name = scenario.name;
  if (plans.tune) task.tune = *plans.tune;
  task.profile = plans.profile;
  if (!plans.tune && !options.explain) {
    print_error(streams, fmt::format("{} has no [tune]: it does not say what to try. Give it parameters in "
                                     "[tune.election], as docs/tuning.md shows",
                                     scenario.path));
    code = ExitCode::bad_scenario;
    return std::nullopt;
  }
  if (options.seeds) task.tune.seeds = static_cast<std::int64_t>(*options.seeds);
  if (options.seeds && task.tune.frontier) task.tune.frontier->seeds = task.tune.seeds;
  if (options.seeds && task.profile) task.profile->seeds = task.tune.seeds;
  return task;
}

void complain(const TuneTask& task, const sim::FilePlace& place, std::string what, std::string hint,
              Streams& streams) {
  sim::Diagnostics diagnostics(task.file.path, task.file.text, task.file.sets);
  diagnostics.add({place.line, place.column, place.length, place.override_index}, std::move(what),
                  std::move(hint));
  for (const sim::Diagnostic& diagnostic : diagnostics.take())
    streams.err << sim::render(diagnostic, streams.paint_err);
}

std::string place_in_words(const TuneTask& task, const sim::FilePlace& place) {
  return place.override_index >= 0 ? "--set" : fmt::format("{}:{}", task.file.path, place.line);
}

}  // namespace tenure::cli
