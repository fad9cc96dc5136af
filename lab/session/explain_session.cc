#include "lab/session/explain_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/hunt/throwing_checks.h"

namespace tenure::lab {
namespace {

using Kind = Experiment::Kind;

constexpr std::uint64_t kCrashes = 4;  // times as many of crashes, whose mean is compared

void add(Shown fresh, std::vector<Shown>& shown) {
  const auto found =
      std::find_if(shown.begin(), shown.end(), [&](const Shown& each) { return each.kind == fresh.kind; });
  if (found != shown.end())
    join(*found, fresh);
  else
    shown.push_back(std::move(fresh));
}

}  // namespace

const Shown* ExplainFindings::find(Kind kind) const {
  const auto found =
      std::find_if(shown.begin(), shown.end(), [&](const Shown& each) { return each.kind == kind; });
  return found == shown.end() ? nullptr : &*found;
}

ExplainFindings run_experiments(const std::vector<Experiment>& experiments, std::uint64_t seeds,
                                unsigned threads, RunsObserver& observer, WhenInterrupted when_interrupted) {
  const ThrowingChecks checks;
  ExplainFindings findings;
  std::vector<SettingRuns> groups;
  std::vector<const Experiment*> made;  // of each group
  for (const Experiment& each : experiments) {
    if (!each.setting) {
      findings.not_made.push_back(each.why_not);
      continue;
    }
    groups.push_back({fmt::format("explain {}", groups.size()), &*each.setting, 1,
                      each.kind == Kind::crash ? seeds * kCrashes : seeds});
    made.push_back(&each);
  }
  TuneSave none;
  TuneRuns runs(threads, none, observer, when_interrupted);
  const auto all = runs.run_all(groups, explain_questions());
  findings.interrupted = !all;
  if (findings.interrupted) return findings;
  observer.runs_are_over(runs.progress());
  findings.internal_error = runs.internal_error();
  if (!findings.internal_error.empty()) return findings;
  for (std::size_t i = 0; i < made.size(); ++i) add(shown_by(*made[i], (*all)[i]), findings.shown);
  return findings;
}

}  // namespace tenure::lab
