#include "lab/session/runs.h"

#include <memory>
#include <utility>

#include "lab/hunt/throwing_checks.h"
#include "lab/session/waiting.h"

namespace tenure::lab {

JobsEnd run_each(std::size_t count, unsigned threads, const std::function<OneRun(std::size_t)>& job,
                 const std::function<void(std::size_t, RunOutcome)>& take, WhenInterrupted when_interrupted) {
  // The threads' own, because they may outlive an interrupted caller's interest.
  const auto outcomes = std::make_shared<Waiting<RunOutcome>>();
  return run_jobs(
      count, threads, [outcomes, job](std::size_t i) { outcomes->put(i, run_one(job(i))); },
      [&](std::size_t i) {
        take(i, outcomes->take(i));
        return true;
      },
      when_interrupted);
}

BatchFindings run_batch(const sim::ScenarioFile& file, const BatchSetup& setup,
                        const std::function<void(const RunOutcome&)>& seen) {
  const sim::ThrowingChecks checks;
  BatchFindings findings{Batch(file.scenario), {}, {}};
  const auto take = [&](std::size_t, const RunOutcome& outcome) {
    if (outcome.result)
      findings.batch.add(*outcome.result);
    else if (findings.internal_error.empty())
      findings.internal_error = outcome.error;
    if (findings.difference.empty()) findings.difference = outcome.difference;
    if (seen) seen(outcome);
  };
  const JobsEnd end = run_each(
      setup.runs, setup.threads,
      [&](std::size_t i) {
        return OneRun{.file = &file, .seed = setup.first_seed + i, .trace = nullptr, .twice = setup.twice};
      },
      take);
  if (end == JobsEnd::interrupted) findings.batch.cut_short(setup.runs);
  return findings;
}

}  // namespace tenure::lab
