#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/draw_cases.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/terminal/signals.h"
#include "lab/session/replays.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

ExitCode replay_nothing(const ReplayOptions& options, Streams& streams) {
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;
  const std::string why = fmt::format("no failure is kept in {}: nothing to replay", options.folder);
  streams.err << why << "\n";
  sim::Scenario nobody;
  nobody.name = options.folder;
  Suite suite = suite_of_nothing(nobody, SuiteCase::CheckStanding::reported, why);
  suite.left_out = "nothing kept";
  reporter->suite(suite);
  return reporter->end({.unit = "regression"});
}

// One that is broken keeps the others from nothing: it is named, and they are run.
Loaded load_kept(std::vector<lab::ReadScenario> read, Streams& streams) {
  const bool some_are_good = std::any_of(read.begin(), read.end(),
                                         [](const lab::ReadScenario& each) { return each.file.has_value(); });
  return say_problems(std::move(read), some_are_good ? "the others are run" : "nothing was run", streams);
}

// What is no kept failure cannot be replayed: nobody knows what it is to show.
void refuse_scenarios(Loaded& loaded, Streams& streams) {
  for (const format::ScenarioFile& file : loaded.files) {
    if (file.plans.regression) continue;
    const std::string& path = file.scenario.path;
    print_error(streams,
                fmt::format("{} has no [regression]: it is a scenario, and not a failure that was kept; "
                            "`tenure run` runs it",
                            path));
    loaded.code = worse(loaded.code, ExitCode::bad_scenario);
    loaded.unusable.push_back({path, "is no kept failure: it has no [regression]"});
  }
  std::erase_if(loaded.files, [](const format::ScenarioFile& file) { return !file.plans.regression; });
}

}  // namespace

ExitCode replay_command(const ReplayOptions& options, Streams& streams) {
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) paths.push_back(options.folder);
  std::error_code error;
  // That nothing is there yet is a mistake only where somebody named the folder.
  const bool is_there = !options.paths.empty() || fs::exists(options.folder, error);
  lab::KeptFiles kept;
  if (is_there) kept = lab::read_kept(paths, scenario_reader(options.sets));
  Loaded loaded = load_kept(std::move(kept.read), streams);
  if (options.paths.empty() && loaded.code == ExitCode::pass && loaded.files.empty())
    return replay_nothing(options, streams);
  refuse_scenarios(loaded, streams);
  if (loaded.files.empty()) return judge_loaded(loaded, paths, "regression", options.report, streams);
  if (!check_report_paths(options.report, loaded, {}, streams)) return ExitCode::usage;
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;

  const Interruption interruption;
  Totals totals{.unit = "regression", .planned = loaded.files.size()};
  totals.code = loaded.code;
  for (const Unusable& unusable : loaded.unusable) {
    sim::Scenario nobody;
    nobody.name = nobody.path = unusable.path;
    reporter->suite(suite_of_nothing(nobody, SuiteCase::CheckStanding::inconclusive, unusable.why));
  }
  std::vector<bool> done(loaded.files.size());
  std::vector<CaseToDraw> cases;
  const lab::JobsEnd end = lab::replay_all(
      loaded.files, options.jobs,
      [&](std::size_t place, lab::ReplayedFile file) {
        file.sets = options.sets;
        const auto tail = kept.tails.find(file.scenario.path);
        if (tail != kept.tails.end()) file.sets.push_back(tail->second);
        done[place] = true;
        ++totals.done;
        totals.code = worse(totals.code, exit_code_of(file.replayed));
        reporter->replayed(file, false);
        reporter->suite(suite_of_replay(file));
        if (!options.report.page.empty())
          cases.push_back({loaded.files[place], file.replayed.seed, reproduce_line(file)});
      },
      lab::WhenInterrupted::leave);
  totals.interrupted = end == lab::JobsEnd::interrupted || !draw_cases(cases, options.jobs, *reporter);
  if (totals.interrupted) totals.code = ExitCode::interrupted;
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!done[i])
      reporter->suite(suite_of_nothing(loaded.files[i].scenario, SuiteCase::CheckStanding::inconclusive,
                                       "interrupted before it was replayed"));
  const ExitCode written = reporter->end(totals);
  if (totals.interrupted) leave_interrupted(streams);
  return worse(totals.code, written);
}

}  // namespace tenure::cli
