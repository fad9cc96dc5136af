#include "lab/session/tune_frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <utility>

#include "format/syntax/tune_values.h"
#include "lab/session/counterexample.h"
#include "lab/session/version.h"
#include "sim/runner/claims.h"

namespace tenure::lab {
namespace {

// The fault that is made worse has to strike, whatever the file says.
void demand_strike(const std::string& key, sim::Scenario& scenario) {
  if (const auto fault = fault_of_key(scenario, key)) scenario.faults[*fault].optional = false;
}

// False: it was interrupted.
bool search(const TuneTask& task, const std::vector<std::string>& checkers, Frontier& frontier,
            TuneRuns& runs) {
  const TuneQuestions questions{.metrics = {}, .checkers = checkers};
  for (auto tries = frontier.next_round(); !tries.empty(); tries = frontier.next_round()) {
    std::list<Setting> settings;  // that groups point at
    std::vector<SettingRuns> groups;
    std::vector<FrontierTry> tried;  // of each group
    for (const FrontierTry& what : tries) {
      MadeSetting made = make_setting(task.file, frontier.overrides_of(what));
      if (made.setting) {
        demand_strike(frontier.asked().against, made.setting->scenario);
        settings.push_back(std::move(*made.setting));
        groups.push_back({fmt::format("frontier {} {}", what.row, what.value), &settings.back(), 1,
                          static_cast<std::uint64_t>(frontier.asked().seeds)});
        tried.push_back(what);
        continue;
      }
      frontier.take_none(what, fmt::format("at {}, in the range of {}: {}",
                                           format::print_tune_value(frontier.asked().type, what.value),
                                           place_in_words(task, frontier.asked().range_place),
                                           made.problems.front().message));
    }
    if (!runs.run(groups, questions, [&](std::size_t i, const auto& numbers) {
          frontier.take(tried[i], groups[i].setting->scenario, numbers);
        }))
      return false;
  }
  return true;
}

// Writes down what fails in an unsafe cell, as small as it can be made.
void keep_failure(const TuneTask& task, const CounterexampleSetup& setup, const Setting& setting,
                  FrontierFinding& finding, RunsObserver& observer) {
  const RegressionPlace place{.folder = setup.folder,
                              .origin = {task.file.path, finding.cell.seed, std::string(version())},
                              .zones = task.file.zones};
  finding.saved = keep_counterexample(setting.scenario, finding.cell.checker, place, setup, observer);
  finding.fails_again = finding.saved.has_value();
}

// Where the two do not agree: who breaks what theory assumes, or why runs do not reach the bound.
std::string difference_of(const FrontierFinding& finding, const format::TuneFrontier& asked,
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

void describe_cells(const TuneTask& task, const CounterexampleSetup& setup, const Frontier& frontier,
                    FrontierFindings& findings, RunsObserver& observer) {
  for (const FrontierCell& cell : frontier.cells()) {
    FrontierFinding finding{cell, std::nullopt, {}, std::nullopt, true};
    const std::int64_t value = cell.unsafe.value_or(cell.safe.value_or(frontier.asked().span.low));
    MadeSetting made = make_setting(task.file, frontier.overrides_of({cell.row, value}));
    if (made.setting) {
      finding.theory = theory_bound(made.setting->scenario, frontier.asked().against, cell.checker);
      finding.difference = difference_of(finding, frontier.asked(), made.setting->scenario);
      if (cell.seed > 0) keep_failure(task, setup, *made.setting, finding, observer);
    }
    findings.cells.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<TuneProblem> why_no_frontier(const TuneTask& task) {
  const Frontier frontier(*task.tune.frontier);
  std::vector<std::vector<format::Override>> tries;
  for (const std::int64_t value : {frontier.asked().span.low, frontier.asked().span.high})
    for (std::size_t row = 0; row < frontier.rows(); ++row)
      tries.push_back(frontier.overrides_of({row, value}));
  std::vector<format::Diagnostic> first;
  for (std::vector<format::Override>& overrides : tries) {
    MadeSetting made = make_setting(task.file, std::move(overrides));
    if (made.setting) return {};
    if (first.empty()) first = std::move(made.problems);
  }
  const auto& along = frontier.asked().parameter;
  std::vector<TuneProblem> problems;
  for (const format::Diagnostic& problem : first) {
    const bool of_parameter = along && problem.where.starts_with(fmt::format("--set {}=", along->key));
    problems.push_back({of_parameter ? along->place : frontier.asked().place,
                        "no setting: " + problem.message, problem.hint});
  }
  return problems;
}

std::optional<std::vector<FrontierCell>> search_frontier(const TuneTask& task,
                                                         const std::vector<std::string>& checkers,
                                                         TuneRuns& runs) {
  Frontier frontier(*task.tune.frontier);
  if (!search(task, checkers, frontier, runs)) return std::nullopt;
  return frontier.cells();
}

std::optional<FrontierFindings> find_frontier(const TuneTask& task, const CounterexampleSetup& setup,
                                              TuneRuns& runs, RunsObserver& observer) {
  FrontierFindings findings;
  findings.asked = *task.tune.frontier;
  Frontier frontier(findings.asked);
  if (!search(task, findings.asked.checkers, frontier, runs)) return std::nullopt;
  findings.why_none = frontier.why_none();
  if (!runs.is_part()) describe_cells(task, setup, frontier, findings, observer);
  return findings;
}

}  // namespace tenure::lab
