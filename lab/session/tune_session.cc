#include "lab/session/tune_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/syntax/units.h"
#include "lab/tune/plan.h"

namespace tenure::lab {
TuneSession::TuneSession(TuneTask task, TuneSetup setup, RunsObserver& observer)
    : task_(std::move(task)), setup_(std::move(setup)), observer_(observer) {}

std::vector<TuneProblem> TuneSession::make_settings() {
  const std::optional<std::vector<TunePoint>> points = plan_points(task_.tune);
  if (!points)
    return {{task_.tune.parameters.front().place,
             fmt::format("more than {} settings", format::print_thousands(kMostSettings)),
             "fewer `steps` or values; or search = \"halton\""}};
  for (const TunePoint& point : *points) {
    MadeSetting made = make_setting(task_.file, overrides_of(task_.tune.parameters, point));
    if (made.setting)
      made_.push_back(std::move(*made.setting));
    else
      skip(made.problems.front());
  }
  if (!points->empty() && made_.empty())
    return {{task_.tune.parameters.front().place, "no combination of these values is a setting",
             findings_.skipped.front().why}};
  return {};
}

void TuneSession::skip(const format::Diagnostic& why) {
  auto& skipped = findings_.skipped;
  auto same = std::find_if(skipped.begin(), skipped.end(),
                           [&](const TuneFindings::Skipped& each) { return each.why == why.message; });
  if (same == skipped.end()) same = skipped.insert(same, {why.message, why.note});
  ++same->count;
}

const TuneFindings& TuneSession::run(TuneSave& save) {
  MadeSetting own = make_setting(task_.file, {});
  findings_.tuning = std::make_unique<Tuning>(task_.tune, std::move(own.setting.value()), std::move(made_));
  TuneRuns runs(setup_.threads, save, observer_, setup_.when_interrupted);
  findings_.interrupted = !find_all(runs);
  findings_.missing = runs.missing();
  if (!findings_.interrupted) observer_.runs_are_over(runs.progress());
  findings_.internal_error = runs.internal_error();
  return findings_;
}

const TuneFindings& TuneSession::so_far() {
  findings_.interrupted = true;
  findings_.tuning->end_early();
  findings_.judgement = findings_.tuning->judge();
  return findings_;
}

bool TuneSession::find_all(TuneRuns& runs) {
  Tuning& tuning = *findings_.tuning;
  if (!task_.tune.parameters.empty() && !search(tuning, runs)) return false;
  findings_.judgement = tuning.judge();
  if (task_.tune.frontier) {
    findings_.frontier = find_frontier(task_, setup_.counterexamples, runs, observer_);
    if (!findings_.frontier) return false;
  }
  if (!task_.profile) return true;
  std::vector<std::size_t> settings = findings_.judgement.best;
  const std::size_t own = tuning.twin_of_own().value_or(0);
  if (std::find(settings.begin(), settings.end(), own) == settings.end()) settings.push_back(own);
  return find_profile(task_, tuning, settings, runs, findings_.profile);
}

std::vector<TuneProblem> TuneSession::objectives_without_samples() const {
  std::vector<TuneProblem> problems;
  const Tuning& tuning = *findings_.tuning;
  for (const format::TuneObjective& objective : task_.tune.objectives) {
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < tuning.size(); ++i)
      samples += tuning.outcome(i).estimate(objective.measure).samples;
    if (samples == 0)
      problems.push_back({objective.place,
                          fmt::format("`{}` has no sample in any setting", objective.measure.text),
                          "nothing in the file brings it about: `tenure run` shows what its faults do"});
  }
  return problems;
}

}  // namespace tenure::lab
