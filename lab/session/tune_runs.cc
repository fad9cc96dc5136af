#include "lab/session/tune_runs.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/base/host_failure.h"
#include "lab/session/waiting.h"

namespace tenure::lab {
namespace {

struct Done {
  std::vector<sim::RunNumbers> runs;
  std::string internal_error;
  std::uint64_t read = 0;
};

// Those that were kept are not run again.
Done run_job(const TuneJob& job, const sim::TuneQuestions& questions, const TuneSave& save) {
  Done done;
  for (std::uint64_t seed = job.first_seed; seed < job.first_seed + job.count; ++seed) {
    const sim::RunNumbers* kept = save.find(job.group, seed);
    if (kept != nullptr && kept->values.size() == questions.metrics.size()) {
      done.runs.push_back(*kept);
      ++done.read;
      continue;
    }
    try {
      done.runs.push_back(sim::measure_run(*job.setting, seed, questions));
    } catch (const HostFailure&) {
      throw;
    } catch (const std::exception& error) {
      done.internal_error = fmt::format("seed {}: {}", seed, error.what());
      done.runs.push_back({.seed = seed, .values = {}, .leaderless_by_cause = {}, .broken = {}});
      done.runs.back().values.resize(questions.metrics.size());
      done.runs.back().broken.emplace_back(sim::kBrokenInvariant);
    }
  }
  return done;
}

}  // namespace

TuneRuns::TuneRuns(unsigned threads, TuneSave& save, TuneObserver& observer, WhenInterrupted when_interrupted)
    : threads_(threads), save_(save), observer_(observer), when_interrupted_(when_interrupted) {}

bool TuneRuns::run(const std::vector<TuneJob>& jobs, const sim::TuneQuestions& questions,
                   const std::function<void(std::size_t, std::vector<sim::RunNumbers>)>& take) {
  Waiting<Done> finished;
  const JobsEnd end = run_jobs(
      jobs.size(), threads_, [&](std::size_t i) { finished.put(i, run_job(jobs[i], questions, save_)); },
      [&](std::size_t i) {
        Done done = finished.take(i);
        if (internal_error_.empty()) internal_error_ = done.internal_error;
        for (const sim::RunNumbers& run : done.runs)
          if (save_.find(jobs[i].group, run.seed) == nullptr && done.internal_error.empty())
            save_.put(jobs[i].group, run);
        save_.flush();
        progress_.done += done.runs.size();
        progress_.from_before += done.read;
        take(i, std::move(done.runs));
        observer_.progressed(progress_);
        return true;
      },
      when_interrupted_);
  if (end == JobsEnd::done) return true;
  observer_.interrupted(progress_);
  return false;
}

}  // namespace tenure::lab
