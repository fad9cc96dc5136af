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
                                unsigned threads, TuneObserver& observer, WhenInterrupted when_interrupted) {
  const ThrowingChecks checks;
  ExplainFindings findings;
  std::vector<TuneJob> jobs;
  std::vector<std::size_t> made_by;
  std::uint64_t planned = 0;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (!experiments[i].setting) {
      findings.not_made.push_back(experiments[i].why_not);
      continue;
    }
    const std::uint64_t asked = experiments[i].kind == Kind::crash ? seeds * kCrashes : seeds;
    planned += asked;
    for (std::uint64_t done = 0; done < asked; done += kRunsOfJob) {
      jobs.push_back({fmt::format("explain {}", i), &*experiments[i].setting, done + 1,
                      std::min(kRunsOfJob, asked - done)});
      made_by.push_back(i);
    }
  }
  std::vector<std::vector<RunNumbers>> all(experiments.size());
  TuneSave none;
  TuneRuns runs(threads, none, observer, when_interrupted);
  runs.expect(planned);
  findings.interrupted =
      !runs.run(jobs, explain_questions(), [&](std::size_t job, std::vector<RunNumbers> numbers) {
        auto& into = all[made_by[job]];
        into.insert(into.end(), numbers.begin(), numbers.end());
      });
  if (findings.interrupted) return findings;
  observer.runs_are_over(runs.progress());
  findings.internal_error = runs.internal_error();
  if (!findings.internal_error.empty()) return findings;
  for (std::size_t i = 0; i < experiments.size(); ++i)
    if (experiments[i].setting) add(shown_by(experiments[i], all[i]), findings.shown);
  return findings;
}

}  // namespace tenure::lab
