#include "cli/tune_frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <utility>

#include "cli/case_run.h"
#include "cli/keep.h"
#include "cli/version.h"
#include "format/syntax/tune_values.h"
#include "sim/checkers/checker.h"
#include "sim/faults/plan.h"
#include "sim/kernel/noise.h"
#include "sim/runner/claims.h"
#include "sim/scenario/names.h"

namespace tenure::cli {
namespace {

struct Round {
  std::list<sim::Setting> settings;  // that jobs point at
  std::vector<TuneJob> jobs;
  std::vector<sim::FrontierTry> tries;  // of each job
};

void add_try(const sim::Frontier& frontier, const sim::FrontierTry& what, sim::Setting setting,
             Round& round) {
  round.settings.push_back(std::move(setting));
  const auto seeds = static_cast<std::uint64_t>(frontier.asked().seeds);
  for (std::uint64_t done = 0; done < seeds; done += kRunsOfJob) {
    round.jobs.push_back({fmt::format("frontier {} {}", what.row, what.value), &round.settings.back(),
                          done + 1, std::min(kRunsOfJob, seeds - done)});
    round.tries.push_back(what);
  }
}

void search(const TuneTask& task, sim::Frontier& frontier, TuneRuns& runs) {
  const sim::TuneQuestions questions{.metrics = {}, .checkers = frontier.asked().checkers};
  for (auto tries = frontier.next_round(); !tries.empty(); tries = frontier.next_round()) {
    Round round;
    for (const sim::FrontierTry& what : tries) {
      sim::MadeSetting made = sim::make_setting(task.file, frontier.overrides_of(what));
      if (made.setting)
        add_try(frontier, what, std::move(*made.setting), round);
      else
        frontier.take_none(what, fmt::format("at {}, in the range of {}: {}",
                                             sim::print_tune_value(frontier.asked().type, what.value),
                                             place_in_words(task, frontier.asked().range_place),
                                             made.problems.front().message));
    }
    runs.expect(round.jobs.size() * std::min(kRunsOfJob, static_cast<std::uint64_t>(frontier.asked().seeds)));
    runs.run(round.jobs, questions,
             [&](std::size_t i, const auto& numbers) { frontier.take(round.tries[i], numbers); });
  }
}

// Literal, with the one checker demanded, whatever is claimed.
sim::Scenario failing_scenario(const sim::Setting& setting, std::uint64_t seed, const std::string& checker) {
  sim::Scenario failing = setting.scenario;
  failing.seed = seed;
  failing.faults = sim::draw_plan(failing, sim::Noise(seed));
  const bool always = sim::find_checker_kind(checker)->when == sim::CheckerKind::When::always;
  failing.expect = {};
  (always ? failing.expect.always : failing.expect.eventually) = std::vector<std::string>{checker};
  for (const sim::SometimesName& name : sim::kSometimesNames)
    failing.expect.sometimes.emplace_back(name.name);
  return failing;
}

// Writes down what fails in an unsafe cell, as small as it can be made.
void keep_counterexample(const TuneTask& task, const TuneOptions& options, const sim::Setting& setting,
                         FrontierFinding& finding, FrontierReport& report, Streams& streams) {
  const sim::Scenario failing = failing_scenario(setting, finding.cell.seed, finding.cell.checker);
  const sim::SeedRun outcome = run_seed(failing, finding.cell.seed);
  const auto failure =
      std::find_if(outcome.failures.begin(), outcome.failures.end(),
                   [&](const sim::Failure& each) { return each.checker == finding.cell.checker; });
  if (failure == outcome.failures.end()) {
    print_error(streams, fmt::format("seed {} does not fail again by itself. This is a bug of tenure: please "
                                     "report it, with the file and the command",
                                     finding.cell.seed));
    report.code = worse(report.code, ExitCode::internal_error);
    return;
  }
  const KeepSetup setup{.folder = options.folder,
                        .origin = {task.file.path, finding.cell.seed, std::string(version())}};
  Kept kept = keep(failing, *failure, setup, streams);
  if (options.shrink && !Interruption::came()) {
    show_progress(streams, fmt::format("{}: shrinking {}", task.name, kept.path));
    shrink_kept(kept, setup, options.shrink_time, streams);
    clear_progress(streams);
  }
  report.code = worse(report.code, end_keeping(kept, streams));
  finding.path = kept.path;
}

// Where the two do not agree: who breaks what theory assumes, or why runs do not reach the bound.
std::string difference_of(const FrontierFinding& finding, const sim::TuneFrontier& asked,
                          const sim::Scenario& scenario) {
  if (!finding.theory) return {};
  const std::optional<std::int64_t> bound = finding.theory->value;
  const std::optional<std::int64_t> unsafe = finding.cell.unsafe;
  const bool fails_before = unsafe && finding.cell.seed > 0 && (!bound || *unsafe <= *bound);
  if (fails_before) {
    const sim::Envelope envelope = sim::envelope_of(finding.cell.checker, scenario, sim::may_break(scenario));
    if (!envelope.claimed) return "fails before theory does; the protocol promises nothing here";
    return envelope.inside ? "fails before theory does, with nothing assumed broken: please report it"
                           : "fails before theory does: the claim " + envelope.why;
  }
  const bool holds_beyond = bound && finding.cell.safe && *finding.cell.safe > *bound + asked.resolution;
  if (!holds_beyond) return {};
  return "holds beyond the bound, which is for the worst case: these faults do not bring it about within "
         "these "
         "seeds";
}

void describe_cells(const TuneTask& task, const TuneOptions& options, const sim::Frontier& frontier,
                    FrontierReport& report, Streams& streams) {
  for (const sim::FrontierCell& cell : frontier.cells()) {
    FrontierFinding finding{cell, std::nullopt, {}, {}};
    const std::int64_t value = cell.unsafe.value_or(cell.safe.value_or(frontier.asked().span.low));
    sim::MadeSetting made = sim::make_setting(task.file, frontier.overrides_of({cell.row, value}));
    if (made.setting) {
      finding.theory = sim::theory_bound(made.setting->scenario, frontier.asked().against, cell.checker);
      finding.difference = difference_of(finding, frontier.asked(), made.setting->scenario);
      if (cell.seed > 0) keep_counterexample(task, options, *made.setting, finding, report, streams);
    }
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

FrontierReport find_frontier(const TuneTask& task, const TuneOptions& options, TuneRuns& runs,
                             Streams& streams) {
  FrontierReport report;
  report.asked = *task.tune.frontier;
  sim::Frontier frontier(report.asked);
  search(task, frontier, runs);
  report.why_none = frontier.why_none();
  describe_cells(task, options, frontier, report, streams);
  return report;
}

}  // namespace tenure::cli
