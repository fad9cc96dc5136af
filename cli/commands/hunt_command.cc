#include "cli/commands/hunt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/case_run.h"
#include "cli/jobs.h"
#include "cli/load.h"
#include "cli/one_hunt.h"
#include "cli/replay_files.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "cli/version.h"
#include "format/build/parse.h"
#include "sim/faults/plan.h"
#include "sim/kernel/noise.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// Its name; with its path where another one has that name.
std::string title_of(const sim::Scenario& scenario, const std::vector<sim::ScenarioFile>& all) {
  const auto same = [&](const sim::ScenarioFile& other) { return other.scenario.name == scenario.name; };
  return std::count_if(all.begin(), all.end(), same) == 1
             ? scenario.name
             : fmt::format("{} ({})", scenario.name, scenario.path);
}

// Of the scenarios from `next` on, that they were not hunted; and that it is over.
ExitCode end_hunts(const std::vector<sim::ScenarioFile>& files, std::size_t next, Totals totals,
                   Reporter& reporter) {
  using Outcome = SuiteCase::Outcome;
  totals.done = totals.interrupted ? next - 1 : next;  // the last one was cut short
  for (std::size_t i = next; i < files.size(); ++i) {
    const sim::Scenario& scenario = files[i].scenario;
    Suite suite = totals.interrupted
                      ? suite_of_nothing(scenario, Outcome::inconclusive, "interrupted before it was hunted")
                      : suite_of_nothing(scenario, Outcome::reported,
                                         "not hunted: one before it fails (--keep-going hunts all)");
    if (!totals.interrupted) suite.left_out = "not hunted";
    reporter.left_out(title_of(scenario, files), suite.cases.front().message);
    reporter.suite(suite);
  }
  return worse(totals.code, reporter.end(totals));
}

// What a file holds that is no failure kept of this scenario before; empty when it may be replaced.
std::string why_not_over(const std::string& out, const sim::ScenarioFile& file) {
  std::error_code error;
  if (out.empty() || !fs::is_regular_file(out, error)) return {};
  std::ostringstream text;
  text << std::ifstream(out, std::ios::binary).rdbuf();
  const sim::ParseResult there = sim::parse_scenario(out, text.str(), {}, system_zones());
  if (!there.scenario) return text.str().empty() ? "" : "what is no failure that was kept";
  if (!there.plans.regression) return "a scenario";
  const std::string origin = sim::origin_path(*there.plans.regression);
  const std::string ours =
      file.plans.regression ? sim::origin_path(*file.plans.regression) : file.scenario.path;
  return origin == ours || is_same_file(origin, ours) ? "" : fmt::format("a failure of {}", origin);
}

// What a regression was kept for, if it still does that; else the first.
const sim::Failure& failure_to_shrink(const sim::ScenarioFile& file,
                                      const std::vector<sim::Failure>& failures) {
  for (const sim::Failure& failure : failures)
    if (checker_to_tell(file) == failure.checker) return failure;
  return failures.front();
}

ExitCode replay_nothing(const ReplayOptions& options, Streams& streams) {
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;
  const std::string why = fmt::format("no failure is kept in {}: nothing to replay", options.folder);
  streams.err << why << "\n";
  sim::Scenario nobody;
  nobody.name = options.folder;
  Suite suite = suite_of_nothing(nobody, SuiteCase::Outcome::reported, why);
  suite.left_out = "nothing kept";
  reporter->suite(suite);
  return reporter->end({.unit = "regression"});
}

// What is no kept failure cannot be replayed: nobody knows what it is to show.
void refuse_scenarios(Loaded& loaded, Streams& streams) {
  for (const sim::ScenarioFile& file : loaded.files) {
    if (file.plans.regression) continue;
    const std::string& path = file.scenario.path;
    print_error(streams,
                fmt::format("{} has no [regression]: it is a scenario, and not a failure that was kept; "
                            "`tenure run` runs it",
                            path));
    loaded.code = worse(loaded.code, ExitCode::bad_scenario);
    loaded.unusable.push_back({path, "is no kept failure: it has no [regression]"});
  }
  std::erase_if(loaded.files, [](const sim::ScenarioFile& file) { return !file.plans.regression; });
}

}  // namespace

ExitCode hunt_command(const HuntOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  const ExitCode usable = judge_loaded(loaded, options.paths, "scenario", options.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (!check_report_paths(options.report, loaded, {}, streams)) return ExitCode::usage;
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter || !can_write_into(options.folder, streams)) return ExitCode::io_error;

  const Interruption interruption;
  Totals totals{.unit = "scenario", .planned = loaded.files.size()};
  std::size_t next = 0;
  while (next < loaded.files.size()) {
    const sim::ScenarioFile& file = loaded.files[next++];
    OneHunt hunt(options, file, title_of(file.scenario, loaded.files), *reporter, streams);
    const HuntFindings& findings = hunt.run();
    reporter->hunted(findings);
    reporter->suite(suite_of_hunt(findings, file.scenario));
    if (!findings.difference.empty())
      print_error(streams, fmt::format("not deterministic: seed {}, {}", findings.difference_seed,
                                       findings.difference));
    totals.code = worse(totals.code, findings.code);
    if (findings.interrupted) {
      totals.interrupted = true;
      totals.code = ExitCode::interrupted;
      end_hunts(loaded.files, next, totals, *reporter);
      leave_interrupted(streams);
    }
    if (totals.code != ExitCode::pass && totals.code != ExitCode::inconclusive && !options.keep_going) break;
  }
  return end_hunts(loaded.files, next, totals, *reporter);
}

ExitCode shrink_command(const ShrinkOptions& options, Streams& streams) {
  const std::string paths[] = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.size() != 1) {
    print_error(streams, fmt::format("{} holds {}; shrink takes one file", options.path,
                                     counted(loaded.files.size(), "scenario")));
    return ExitCode::nothing_ran;
  }
  if (!options.out.empty() && is_same_file(options.out, loaded.files.front().scenario.path)) {
    print_error(streams,
                fmt::format("--out {} would overwrite the scenario that is to be shrunk", options.out));
    return ExitCode::usage;
  }
  if (const std::string why = why_not_over(options.out, loaded.files.front()); !why.empty()) {
    print_error(streams, fmt::format("--out {} would overwrite {}; name another file", options.out, why));
    return ExitCode::usage;
  }
  sim::ScenarioFile hunted = sim::as_hunted(loaded.files.front());
  sim::Scenario& failing = hunted.scenario;
  if (options.seed) failing.seed = options.seed;
  if (!failing.seed) {
    print_error(streams, fmt::format("{} has no seed; say which one fails, with --seed", options.path));
    return ExitCode::usage;
  }
  failing.faults = sim::draw_plan(failing, sim::Noise(*failing.seed));
  const std::vector<sim::Failure> failures = try_case(failing);
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
  const KeepSetup setup{
      .folder = options.folder,
      .file = options.out,
      .origin = {options.path, *failing.seed, std::string(version()), hunted.plans.regression}};
  Kept kept = keep(failing, failure_to_shrink(hunted, failures), setup, streams);
  shrink_kept(kept, setup, options.time, streams);
  const ExitCode code = end_keeping(kept, streams);
  write_results(streams, text_of_finding({*failing.seed, std::move(kept), 1}, streams.paint_out));
  return Interruption::came() ? ExitCode::interrupted : code;
}

ExitCode replay_command(const ReplayOptions& options, Streams& streams) {
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) paths.push_back(options.folder);
  std::error_code error;
  // That nothing is there yet is a mistake only where somebody named the folder.
  const bool is_there = !options.paths.empty() || fs::exists(options.folder, error);
  Loaded loaded = is_there ? load(paths, options.sets, "nothing was run", streams) : Loaded{};
  if (options.paths.empty() && loaded.code == ExitCode::pass && loaded.files.empty())
    return replay_nothing(options, streams);
  refuse_scenarios(loaded, streams);
  const ExitCode usable = judge_loaded(loaded, paths, "regression", options.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (!check_report_paths(options.report, loaded, {}, streams)) return ExitCode::usage;
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;

  const Interruption interruption;
  Totals totals{.unit = "regression", .planned = loaded.files.size()};
  std::vector<bool> done(loaded.files.size());
  const JobsEnd end = replay_all(loaded.files, options.jobs, [&](std::size_t place, ReplayedFile file) {
    file.sets = options.sets;
    done[place] = true;
    ++totals.done;
    totals.code = worse(totals.code, exit_code_of(file.replayed));
    reporter->replayed(file, false);
    reporter->suite(suite_of_replay(file));
  });
  totals.interrupted = end == JobsEnd::interrupted;
  if (totals.interrupted) totals.code = ExitCode::interrupted;
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!done[i])
      reporter->suite(suite_of_nothing(loaded.files[i].scenario, SuiteCase::Outcome::inconclusive,
                                       "interrupted before it was replayed"));
  const ExitCode written = reporter->end(totals);
  if (totals.interrupted) leave_interrupted(streams);
  return worse(totals.code, written);
}

}  // namespace tenure::cli
