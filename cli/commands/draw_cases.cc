#include "cli/commands/draw_cases.h"

#include "lab/hunt/throwing_checks.h"
#include "lab/session/runs.h"

namespace tenure::cli {

bool draw_cases(const std::vector<CaseToDraw>& cases, unsigned jobs, Reporter& reporter) {
  const lab::ThrowingChecks checks;
  const lab::JobsEnd end = lab::run_each(
      cases.size(), jobs,
      [&](std::size_t i) {
        return lab::OneRun{.file = &cases[i].file, .seed = cases[i].seed, .record = true};
      },
      [&](std::size_t i, lab::RunOutcome outcome) {
        // One that an internal error ended has no timeline, and was told of when it ran first.
        if (!outcome.result || !outcome.recording) return;
        outcome.result->reproduce = cases[i].reproduce;
        reporter.recorded(*outcome.recording, *outcome.result, cases[i].file.scenario);
      });
  return end == lab::JobsEnd::done;
}

}  // namespace tenure::cli
