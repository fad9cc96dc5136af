#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/signals.h"
#include "format/parse/parse.h"
#include "lab/hunt/swarm.h"
#include "lab/session/one_run.h"
#include "lab/session/regression_writer.h"
#include "lab/session/version.h"
#include "sim/faults/plan.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// What a file holds that is no failure kept of this scenario before; empty when it may be replaced.
std::string why_not_over(const std::string& out, const format::ScenarioFile& file) {
  std::error_code error;
  if (out.empty() || !fs::is_regular_file(out, error)) return {};
  std::ostringstream text;
  text << std::ifstream(out, std::ios::binary).rdbuf();
  const lab::ScenarioReader reader = scenario_reader();
  const format::ParseResult there =
      format::parse_scenario(out, text.str(), {}, *reader.zones, nullptr, reader.engines, reader.data_files,
                             format::Unsafe::must_be_accepted, reader.designs);
  if (!there.scenario) return text.str().empty() ? "" : "what is no failure that was kept";
  if (!there.plans.regression) return "a scenario";
  const std::string origin = lab::origin_path(*there.plans.regression);
  const std::string ours =
      file.plans.regression ? lab::origin_path(*file.plans.regression) : file.scenario.path;
  return origin == ours || lab::is_same_file(origin, ours) ? "" : fmt::format("a failure of {}", origin);
}

// What a regression was kept for, if it still does that; else the first.
const lab::Failure& failure_to_shrink(const format::ScenarioFile& file,
                                      const std::vector<lab::Failure>& failures) {
  for (const lab::Failure& failure : failures)
    if (checker_to_tell(file) == failure.checker) return failure;
  return failures.front();
}

}  // namespace

ExitCode shrink_command(const ShrinkOptions& options, Streams& streams) {
  const std::string paths[] = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.size() != 1) {
    print_error(streams, fmt::format("{} holds {}; shrink takes one file", options.path,
                                     counted(loaded.files.size(), "scenario")));
    return ExitCode::nothing_ran;
  }
  if (!options.out.empty() && lab::is_same_file(options.out, loaded.files.front().scenario.path)) {
    print_error(streams, fmt::format("--out {} would overwrite the scenario to shrink", options.out));
    return ExitCode::usage;
  }
  if (const std::string why = why_not_over(options.out, loaded.files.front()); !why.empty()) {
    print_error(streams, fmt::format("--out {} would overwrite {}; name another file", options.out, why));
    return ExitCode::usage;
  }
  format::ScenarioFile hunted = lab::as_hunted(loaded.files.front());
  sim::Scenario& failing = hunted.scenario;
  if (options.seed) failing.seed = options.seed;
  if (!failing.seed) {
    print_error(streams, fmt::format("{} has no seed; say which one fails, with --seed", options.path));
    return ExitCode::usage;
  }
  failing.faults = sim::draw_plan(failing, sim::KeyedRng(*failing.seed));
  const std::vector<lab::Failure> failures = lab::try_case(failing).failures;
  if (failures.empty()) {
    print_error(streams, fmt::format("{} does not fail with seed {}; there is nothing to shrink",
                                     options.path, *failing.seed));
    if (options.seed && !hunted.plans.regression)
      streams.err << fmt::format(
          "a hunt draws other faults for seed {} than a run does: shrink the file that the hunt kept; "
          "`tenure hunt {} --no-shrink` keeps one as it was found\n",
          *failing.seed, shell_quoted(options.path));
    return ExitCode::nothing_ran;
  }
  if (options.out.empty() && !can_write_into(options.folder, streams)) return ExitCode::io_error;
  const Interruption interruption;  // ends the shrinking, not the program
  const lab::RegressionPlace place{
      .folder = options.folder,
      .file = options.out,
      .origin = {options.path, *failing.seed, std::string(lab::version()), hunted.plans.regression},
      .zones = &system_zones()};
  lab::SavedRegression saved = lab::save_regression(failing, failure_to_shrink(hunted, failures), place);
  say_unwritten(saved, streams);
  if (lab::shrink_saved(saved, place, options.time)) say_unwritten(saved, streams);
  say_what_is_wrong(saved, streams);
  const ExitCode code = worse(ExitCode::fail, exit_code_of(saved));
  write_results(streams, text_of_finding({*failing.seed, std::move(saved), 1}, streams.paint_out));
  return Interruption::came() ? ExitCode::interrupted : code;
}

}  // namespace tenure::cli
