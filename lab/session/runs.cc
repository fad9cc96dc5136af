#include "lab/session/runs.h"

#include <utility>

#include "lab/hunt/throwing_checks.h"

namespace tenure::lab {

JobsEnd run_each(std::size_t count, unsigned threads, const std::function<OneRun(std::size_t)>& job,
                 const std::function<void(std::size_t, RunOutcome)>& take, WhenInterrupted when_interrupted) {
  const auto hand_over = [&take](std::size_t i, RunOutcome outcome) {
    take(i, std::move(outcome));
    return true;
  };
  return make_in_order(
      count, threads, [job](std::size_t i) { return run_one(job(i)); }, hand_over, when_interrupted);
}

BatchFindings run_batch(const format::ScenarioFile& file, const BatchSetup& setup,
                        const std::function<void(const RunOutcome&)>& seen) {
  const ThrowingChecks checks;
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
