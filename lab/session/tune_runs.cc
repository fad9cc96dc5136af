#include "lab/session/tune_runs.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/base/host_failure.h"

namespace tenure::lab {
namespace {

struct JobDone {
  std::vector<RunNumbers> runs;
  std::string internal_error;
  std::uint64_t read = 0;
};

// Those that were kept are not run again.
JobDone run_job(const TuneJob& job, const TuneQuestions& questions, const TuneSave& save) {
  JobDone done;
  for (std::uint64_t seed = job.first_seed; seed < job.first_seed + job.count; ++seed) {
    const RunNumbers* kept = save.find(job.group, seed);
    if (kept != nullptr && kept->values.size() == questions.metrics.size()) {
      done.runs.push_back(*kept);
      ++done.read;
      continue;
    }
    try {
      done.runs.push_back(measure_run(*job.setting, seed, questions));
    } catch (const HostFailure&) {
      throw;
    } catch (const std::exception& error) {
      done.internal_error = fmt::format("seed {}: {}", seed, error.what());
      done.runs.push_back({.seed = seed, .values = {}, .leaderless_by_cause = {}, .broken = {}});
      done.runs.back().values.resize(questions.metrics.size());
      done.runs.back().broken.emplace_back(format::kBrokenInvariant);
    }
  }
  return done;
}

}  // namespace

TuneRuns::TuneRuns(unsigned threads, TuneSave& save, TuneObserver& observer, WhenInterrupted when_interrupted)
    : threads_(threads), save_(save), observer_(observer), when_interrupted_(when_interrupted) {}

bool TuneRuns::run(const std::vector<TuneJob>& jobs, const TuneQuestions& questions,
                   const std::function<void(std::size_t, std::vector<RunNumbers>)>& take) {
  const JobsEnd end = make_in_order(
      jobs.size(), threads_, [&](std::size_t i) { return run_job(jobs[i], questions, save_); },
      [&](std::size_t i, JobDone done) {
        if (internal_error_.empty()) internal_error_ = done.internal_error;
        for (const RunNumbers& run : done.runs)
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

bool search(Tuning& tuning, TuneRuns& runs) {
  for (std::vector<TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<TuneJob> jobs;
    std::uint64_t count = 0;
    for (const TuneWork& work : works) {
      jobs.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting), work.first_seed,
                      work.count});
      count += work.count;
    }
    runs.expect(count);
    if (!runs.run(jobs, tuning.questions(),
                  [&](std::size_t i, const auto& numbers) { tuning.take(works[i], numbers); }))
      return false;
  }
  return true;
}

}  // namespace tenure::lab
