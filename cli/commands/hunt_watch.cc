#include "cli/commands/hunt_watch.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/commands/draw_cases.h"
#include "cli/load.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

std::uint64_t count_of(const SeedRange& seeds) { return seeds.last - seeds.first + 1; }

std::optional<std::uint64_t> planned_by(const HuntOptions& options) {
  if (options.open_ended) return std::nullopt;
  return count_of(options.seeds);
}

// What it found, and the saved failures that fail again. False: it was interrupted.
bool draw_findings(const lab::HuntFindings& findings, unsigned jobs, Reporter& reporter) {
  std::vector<CaseToDraw> cases;
  for (const lab::Finding& finding : findings.findings)
    cases.push_back({finding.saved.file, finding.saved.file.scenario.seed.value_or(finding.seed),
                     reproduce_line(finding)});
  for (const lab::ReplayedFile& file : findings.regressions)
    if (file.replayed.failure)
      cases.push_back({{.scenario = file.scenario, .plans = {}}, file.replayed.seed, reproduce_line(file)});
  return draw_cases(cases, jobs, reporter);
}

}  // namespace

bool tell_hunt(const lab::HuntFindings& findings, const sim::Scenario& scenario, const HuntOptions& options,
               Reporter& reporter, Streams& streams) {
  const SeedRange seeds = options.open_ended
                              ? SeedRange{findings.first_seed, findings.first_seed + findings.cases - 1}
                              : options.seeds;
  reporter.hunted(
      findings, scenario,
      fmt::format("tenure hunt {}{} --seeds {}..{}{}", shell_quoted(scenario.path), shell_sets(options.sets),
                  seeds.first, seeds.last, options.guided ? "" : " --unguided"));
  reporter.suite(suite_of_hunt(findings, scenario));
  if (!findings.difference.empty())
    print_error(streams,
                fmt::format("not deterministic: seed {}, {}", findings.difference_seed, findings.difference));
  return findings.interrupted || options.report.page.empty() ||
         draw_findings(findings, options.jobs, reporter);
}

lab::HuntSetup hunt_setup(const HuntOptions& options, std::string title) {
  lab::HuntSetup setup;
  setup.first_seed = options.seeds.first;
  setup.cases = count_of(options.seeds);
  setup.open_ended = options.open_ended;
  setup.time = options.time;
  setup.threads = options.jobs;
  setup.guided = options.guided;
  setup.keep_going = options.keep_going;
  setup.check_determinism = options.check_determinism;
  setup.replay = options.replay;
  setup.shrink = options.shrink;
  setup.shrink_time = options.shrink_time;
  setup.folder = options.folder;
  setup.reader = scenario_reader();
  setup.when_interrupted = lab::WhenInterrupted::leave;
  setup.title = std::move(title);
  return setup;
}

HuntWatch::HuntWatch(std::string title, const HuntOptions& options, Reporter& reporter, Streams& streams)
    : reporter_(reporter),
      streams_(streams),
      progress_(std::move(title), planned_by(options), options.time, streams) {}

void HuntWatch::regressions_read(const std::vector<lab::ReadScenario>& read) {
  say_problems(read, "it is not replayed", streams_);
}

void HuntWatch::saved(const lab::SavedRegression& saved) { say_unwritten(saved, streams_); }

void HuntWatch::found(const lab::HuntFindings& so_far, const lab::Finding& finding) {
  say_what_is_wrong(finding.saved, streams_);
  reporter_.found(so_far, finding);
}

}  // namespace tenure::cli
