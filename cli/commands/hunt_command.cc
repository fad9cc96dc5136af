#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "cli/commands/hunt_watch.h"
#include "cli/commands/open_runs.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/terminal/signals.h"

namespace tenure::cli {
namespace {

// Its name; with its path where another one has that name.
std::string title_of(const sim::Scenario& scenario, const std::vector<format::ScenarioFile>& all) {
  const auto same = [&](const format::ScenarioFile& other) { return other.scenario.name == scenario.name; };
  return std::count_if(all.begin(), all.end(), same) == 1
             ? scenario.name
             : fmt::format("{} ({})", scenario.name, scenario.path);
}

// Of the scenarios from `next` on, that they were not hunted; and that it is over.
ExitCode end_hunts(const std::vector<format::ScenarioFile>& files, std::size_t next, Totals totals,
                   Reporter& reporter) {
  using CheckStanding = SuiteCase::CheckStanding;
  totals.done = totals.interrupted ? next - 1 : next;  // the last one was cut short
  for (std::size_t i = next; i < files.size(); ++i) {
    const sim::Scenario& scenario = files[i].scenario;
    Suite suite =
        totals.interrupted
            ? suite_of_nothing(scenario, CheckStanding::inconclusive, "interrupted before it was hunted")
            : suite_of_nothing(scenario, CheckStanding::reported,
                               "not hunted: one before it fails (--keep-going hunts all)");
    if (!totals.interrupted) suite.left_out = "not hunted";
    reporter.left_out(title_of(scenario, files), suite.cases.front().message);
    reporter.suite(suite);
  }
  return worse(totals.code, reporter.end(totals));
}

}  // namespace

ExitCode hunt_command(const HuntOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  const ExitCode usable = judge_loaded(loaded, options.paths, "scenario", options.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (!check_report_paths(options.report, loaded, {}, streams)) return ExitCode::usage;
  if (!options.campaign.empty()) return hunt_part(options, loaded.files, streams);
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter || !can_write_into(options.folder, streams)) return ExitCode::io_error;

  lab::HuntSave save;
  if (!options.save.empty())
    if (const auto problem = save.open(options.save, options.resume)) {
      print_error(streams, why_not_open(options.save, *problem, "hunt", "another build of tenure"));
      return ExitCode::io_error;
    }

  const Interruption interruption;
  Totals totals{.unit = "scenario", .planned = loaded.files.size()};
  std::size_t next = 0;
  while (next < loaded.files.size()) {
    const format::ScenarioFile& file = loaded.files[next++];
    const std::string title = title_of(file.scenario, loaded.files);
    HuntWatch watch(title, options, *reporter, streams);
    lab::HuntSetup setup = hunt_setup(options, title);
    if (!options.save.empty()) setup.save = &save;
    lab::HuntSession hunt(std::move(setup), file, watch);
    const lab::HuntFindings& findings = hunt.run();
    totals.code = worse(totals.code, exit_code_of(findings));
    const bool drawn = tell_hunt(findings, file.scenario, options, *reporter, streams);
    if (findings.interrupted || !drawn) {
      totals.interrupted = true;
      totals.code = ExitCode::interrupted;
      if (!options.save.empty())
        streams.err << fmt::format("cases are kept in {}, and --resume goes on\n", options.save);
      end_hunts(loaded.files, next, totals, *reporter);
      leave_interrupted(streams);
    }
    if (totals.code != ExitCode::pass && totals.code != ExitCode::inconclusive && !options.keep_going) break;
  }
  return end_hunts(loaded.files, next, totals, *reporter);
}

}  // namespace tenure::cli
