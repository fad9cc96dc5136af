#include "lab/session/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <set>
#include <utility>

#include "core/model/duration_text.h"
#include "format/print/print.h"
#include "format/syntax/tune_values.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/tune_frontier.h"
#include "lab/tune/closed_form.h"
#include "lab/tune/plan.h"

namespace tenure::lab {
namespace {

// What durations are multiplied by, in twelfths: a half, two thirds, and so on.
constexpr std::int64_t kTwelfths = 12;
constexpr std::int64_t kScales[] = {6, 8, 18, 24, 36};

// How far from the longest duration in the file a margin is looked for.
constexpr std::int64_t kMostOfLongest = 8;
constexpr std::int64_t kLeastOfLongest = 16;

// What a person would write: whole seconds, tenths of those below five, and milliseconds.
std::int64_t rounded(std::int64_t ns) {
  const std::int64_t step = ns >= Duration::seconds(5).ns()    ? Duration::seconds(1).ns()
                            : ns >= Duration::millis(500).ns() ? Duration::millis(100).ns()
                            : ns >= Duration::millis(5).ns()   ? Duration::millis(1).ns()
                                                               : 1;
  return std::max((ns + step / 2) / step * step, step);
}

std::vector<format::TuneParameter> what_can_be_turned(const Parameters& election) {
  std::vector<format::TuneParameter> parameters;
  for (std::size_t i = 0; i < election.specs().size(); ++i) {
    const ParameterSpec& spec = election.specs()[i];
    const bool scales = spec.type == ParameterSpec::Type::duration && spec.name != "request_timeout" &&
                        election.value(static_cast<int>(i)) > 0;
    if (!scales && spec.type != ParameterSpec::Type::boolean) continue;
    format::TuneParameter parameter;
    parameter.key = fmt::format("{}{}", format::kTuneElection, spec.name);
    parameter.type = scales ? format::TuneType::duration : format::TuneType::boolean;
    parameter.values = {election.value(static_cast<int>(i))};
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::set<TunePoint> points_beside(const std::vector<format::TuneParameter>& parameters) {
  TunePoint own;
  std::size_t longest = 0;
  for (const format::TuneParameter& parameter : parameters) {
    own.push_back(parameter.values.front());
    if (own.back() > own[longest]) longest = own.size() - 1;
  }
  std::set<TunePoint> points;
  for (const std::int64_t scale : kScales) {
    TunePoint all = own;
    TunePoint one = own;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (parameters[i].type != format::TuneType::duration) continue;
      all[i] = rounded(own[i] * scale / kTwelfths);
      if (i == longest) one[i] = all[i];
    }
    points.insert(std::move(all));
    points.insert(std::move(one));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (parameters[i].type != format::TuneType::boolean) continue;
    TunePoint turned = own;
    turned[i] = 1 - own[i];
    points.insert(std::move(turned));
  }
  points.erase(own);
  return points;
}

format::TuneSetting tuning_of(const sim::Scenario& scenario, std::uint64_t seeds) {
  format::TuneSetting tune;
  tune.seeds = static_cast<std::int64_t>(seeds);
  tune.parameters = what_can_be_turned(scenario.instances.front().election);
  for (const char* name : {"leaderless_share", "false_failovers_per_day", "store_requests_per_second"})
    tune.objectives.push_back({{name, format::TuneMeasure::Statistic::mean, 0, name}, {}});
  for (const std::string& checker : demanded_of(scenario))
    tune.constraints.push_back({checker, std::nullopt, true, false, 0, {}});
  return tune;
}

class Adviser {
 public:
  Adviser(const TuneTask& task, std::uint64_t seeds, TuneRuns& runs)
      : task_(task), seeds_(seeds), runs_(runs), own_(*make_setting(task.file, {}).setting) {}

  // False: it was interrupted.
  bool find_all(AdviceFindings& findings) {
    if (!search_settings(findings)) return false;
    findings.judgement = findings.tuning->judge();
    for (std::size_t i = 0; i < own_.scenario.faults.size(); ++i) {
      const sim::FaultSetting& fault = own_.scenario.faults[i];
      FaultAdvice advice{.fault = fault.entry, .action = fault.action};
      if (fault.duration) advice.longest = fault.duration->high;
      if (!find_cost(i, advice) || !find_margin(findings, advice)) return false;
      reject(0, advice, findings);
      findings.faults.push_back(std::move(advice));
    }
    return choose_what_bears_the_longest(findings);
  }

 private:
  bool search_settings(AdviceFindings& findings) {
    const format::TuneSetting tune = tuning_of(own_.scenario, seeds_);
    std::vector<Setting> settings;
    std::set<std::string> known = {
        format::print_scenario(own_.scenario)};  // of several that are the same, the first
    for (const TunePoint& point : points_beside(tune.parameters)) {
      std::vector<format::Override> changes = overrides_of(tune.parameters, point);
      std::size_t place = 0;
      std::erase_if(changes, [&](const format::Override&) {
        const std::size_t i = place++;
        return point[i] == tune.parameters[i].values.front();
      });
      MadeSetting made = make_setting(task_.file, std::move(changes));
      if (made.setting && known.insert(format::print_scenario(made.setting->scenario)).second)
        settings.push_back(std::move(*made.setting));
    }
    findings.tuning = std::make_unique<Tuning>(tune, own_, std::move(settings));
    return search(*findings.tuning, runs_);
  }

  // What would be recommended has to bear what the file's own has to: each fault as long as the file may draw it.
  bool choose_what_bears_the_longest(AdviceFindings& findings) {
    std::set<std::size_t> tried;
    for (;;) {
      findings.judgement = findings.tuning->judge();
      findings.better.clear();
      choose(findings);
      const auto next = std::find_if(findings.better.begin(), findings.better.end(),
                                     [&](std::size_t index) { return !tried.contains(index); });
      if (next == findings.better.end()) return true;
      tried.insert(*next);
      if (!try_at_longest(*next, findings)) return false;
    }
  }

  static void reject(std::size_t index, const FaultAdvice& fault, AdviceFindings& findings) {
    using State = JudgedSetting::State;
    if (!fault.at_longest.empty())
      findings.tuning->reject(index, fault.seed_at_longest > 0 ? State::broken : State::inconclusive,
                              fault.at_longest);
  }

  bool try_at_longest(std::size_t index, AdviceFindings& findings) {
    for (std::size_t i = 0; i < own_.scenario.faults.size(); ++i) {
      const auto& drawn = own_.scenario.faults[i].duration;
      if (!drawn || drawn->low == drawn->high) continue;
      TuneTask task = task_;
      for (const format::Override& set : findings.tuning->setting(index).overrides)
        task.file.sets.push_back(set);
      FaultAdvice fault{.fault = own_.scenario.faults[i].entry, .longest = drawn->high};
      const auto cell = search_durations(task, fault.fault, drawn->high, drawn->high);
      if (!cell) return false;
      fault.take_longest(*cell);
      reject(index, fault, findings);
    }
    return true;
  }

  // The best trade-off, then the setting with the least time without a leader, then the one with the fewest requests.
  static void choose(AdviceFindings& findings) {
    const TuneJudgement& judgement = findings.judgement;
    const auto value = [&](std::size_t i, std::size_t objective) {
      return judgement.settings[i].objectives[objective].value;
    };
    // By less than a twentieth nothing is better. What is safe is better than what is not, whatever it costs.
    const auto is_better = [&](std::size_t i) {
      if (findings.verdict() != sim::Verdict::pass) return true;
      for (std::size_t objective = 0; objective < judgement.settings[i].objectives.size(); ++objective)
        if (value(i, objective) < value(0, objective) - value(0, objective) / 20) return true;
      return false;
    };
    const auto add = [&](std::optional<std::size_t> index) {
      if (index && *index != 0 && is_better(*index) &&
          std::find(findings.better.begin(), findings.better.end(), *index) == findings.better.end())
        findings.better.push_back(*index);
    };
    add(judgement.knee);
    // Nobody pays for another setting that is better by nothing that counts.
    if (judgement.knee == std::size_t{0}) return;
    for (const std::size_t objective : {std::size_t{0}, std::size_t{2}}) {
      const auto least = std::min_element(
          judgement.best.begin(), judgement.best.end(),
          [&](std::size_t a, std::size_t b) { return value(a, objective) < value(b, objective); });
      if (least != judgement.best.end()) add(*least);
    }
  }

  bool find_cost(std::size_t place, FaultAdvice& advice) {
    Setting alone = own_;
    alone.scenario.faults = {own_.scenario.faults[place]};
    const auto theory = bound_of_fault(own_.scenario, place);
    if (theory && theory->value) advice.theory = Duration::nanos(*theory->value);
    std::int64_t leaderless = 0;
    const auto runs = runs_.run_all({{fmt::format("cost {}", place), &alone, 1, seeds_}}, {});
    if (!runs) return false;
    for (const RunNumbers& run : runs->front()) {
      advice.strikes += run.strikes;
      for (const auto& [cause, length] : run.leaderless_by_cause)
        if (cause != "start") leaderless += length;
    }
    if (advice.strikes > 0)
      advice.leaderless = Duration::nanos(leaderless / static_cast<std::int64_t>(advice.strikes));
    return true;
  }

  // From the longest in the file upwards; where the file's own runs fail, downwards.
  bool find_margin(const AdviceFindings& findings, FaultAdvice& advice) {
    using State = JudgedSetting::State;
    const State own = findings.judgement.settings.front().state;
    if (!advice.longest || own == State::bounded || own == State::inconclusive) return true;
    const Duration longest = *advice.longest;
    if (own != State::broken) {
      const auto cell = search_durations(task_, advice.fault, longest,
                                         std::max(longest * kMostOfLongest, Duration::minutes(2)));
      if (!cell) return false;
      advice.take(*cell);
      advice.take_longest(*cell);
      if (advice.at_longest.empty()) return true;
    }
    const auto cell = search_durations(task_, advice.fault, longest / kLeastOfLongest, longest);
    if (cell && cell->safe) advice.take(*cell);
    return cell.has_value();
  }

  // None: it was interrupted.
  std::optional<FrontierCell> search_durations(TuneTask task, std::size_t fault, Duration least,
                                               Duration most) {
    format::TuneFrontier asked;
    asked.against = fmt::format("fault.{}.duration", fault);
    asked.span = {least.ns(), most.ns()};
    asked.resolution = std::max<std::int64_t>(most.ns() / 256, 1);
    asked.seeds = static_cast<std::int64_t>(seeds_);
    task.tune.frontier = asked;
    const auto cells = search_frontier(task, demanded_of(own_.scenario), runs_);
    if (!cells) return std::nullopt;
    return cells->front();
  }

  const TuneTask& task_;
  const std::uint64_t seeds_;
  TuneRuns& runs_;
  const Setting own_;
};

}  // namespace

std::vector<std::string> demanded_of(const sim::Scenario& scenario) {
  if (scenario.expect.always && !scenario.expect.always->empty()) return *scenario.expect.always;
  return {"one-believer"};
}

void FaultAdvice::take(const FrontierCell& cell) {
  if (cell.safe) tolerated = Duration::nanos(*cell.safe);
  if (cell.unsafe) ends = Duration::nanos(*cell.unsafe);
  checker = cell.checker;
  seed = cell.seed;
  unknown = cell.unknown;
  tried = cell.tried;
}

void FaultAdvice::take_longest(const FrontierCell& cell) {
  if (cell.safe || (cell.seed == 0 && cell.unknown.empty())) return;
  const std::string where =
      fmt::format("when fault {} lasts for {}, the longest in the file", fault, print_duration(*longest));
  seed_at_longest = cell.seed;
  at_longest = cell.seed > 0 ? fmt::format("{} failed {}", cell.checker, where)
                             : fmt::format("{}: {}", where, cell.unknown);
}

sim::Verdict AdviceFindings::verdict() const {
  using enum JudgedSetting::State;
  switch (judgement.settings.front().state) {
    case warned:
    case broken:
    case bounded: return sim::Verdict::fail;
    case inconclusive:
    case unmeasured:
    case dropped: return sim::Verdict::inconclusive;
    case best:
    case dominated: break;
  }
  return sim::Verdict::pass;
}

AdviceFindings advise(const TuneTask& task, std::uint64_t seeds, unsigned threads, RunsObserver& observer,
                      WhenInterrupted when_interrupted) {
  const ThrowingChecks checks;
  AdviceFindings findings;
  TuneSave none;
  TuneRuns runs(threads, none, observer, when_interrupted);
  findings.interrupted = !Adviser(task, seeds, runs).find_all(findings);
  if (!findings.interrupted) observer.runs_are_over(runs.progress());
  findings.internal_error = runs.internal_error();
  return findings;
}

}  // namespace tenure::lab
