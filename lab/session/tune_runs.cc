#include "lab/session/tune_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/hunt/throwing_checks.h"

namespace tenure::lab {
namespace {

constexpr std::uint64_t kRunsOfJob = 25;

// Some runs of a group, on one thread.
struct TuneJob {
  std::size_t group = 0;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

std::vector<TuneJob> jobs_of(const std::vector<RunGroup>& groups) {
  std::vector<TuneJob> jobs;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::uint64_t done = 0; done < groups[i].count; done += kRunsOfJob)
      jobs.push_back({i, groups[i].first_seed + done, std::min(kRunsOfJob, groups[i].count - done)});
  return jobs;
}

struct JobDone {
  std::vector<RunNumbers> runs;
  std::string internal_error;
  std::uint64_t read = 0;
};

// Those that were kept are not run again. `mine`: only those of this part.
JobDone run_job(const TuneJob& job, const RunGroup& group, const TuneQuestions& questions,
                const TuneSave& save, bool mine) {
  JobDone done;
  for (std::uint64_t seed = job.first_seed; seed < job.first_seed + job.count; ++seed) {
    if (mine && !save.is_mine(group.name, seed)) continue;
    const RunNumbers* kept = save.find(group.name, seed);
    if (kept != nullptr && kept->values.size() == questions.metrics.size()) {
      done.runs.push_back(*kept);
      ++done.read;
      continue;
    }
    const auto broken =
        broken_invariant_in([&] { done.runs.push_back(measure_run(*group.setting, seed, questions)); });
    if (broken) {
      done.internal_error = fmt::format("seed {}: {}", seed, *broken);
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

bool TuneRuns::run(const std::vector<RunGroup>& groups, const TuneQuestions& questions,
                   const std::function<void(std::size_t, std::vector<RunNumbers>)>& take) {
  const std::vector<TuneJob> jobs = jobs_of(groups);
  if (save_.shard() && !share(groups, questions)) return false;
  progress_.planned = progress_.done;
  for (const RunGroup& group : groups) progress_.planned += group.count;
  const JobsEnd end = make_in_order(
      jobs.size(), threads_,
      [&](std::size_t i) { return run_job(jobs[i], groups[jobs[i].group], questions, save_, false); },
      [&](std::size_t i, JobDone done) {
        if (internal_error_.empty()) internal_error_ = done.internal_error;
        const RunGroup& group = groups[jobs[i].group];
        for (const RunNumbers& run : done.runs)
          if (save_.find(group.name, run.seed) == nullptr && done.internal_error.empty())
            save_.put(group.name, run);
        save_.flush();
        progress_.done += done.runs.size();
        progress_.from_before += done.read;
        take(jobs[i].group, std::move(done.runs));
        observer_.progressed(progress_);
        return true;
      },
      when_interrupted_);
  if (end == JobsEnd::done) return true;
  observer_.interrupted(progress_);
  return false;
}

bool TuneRuns::share(const std::vector<RunGroup>& groups, const TuneQuestions& questions) {
  const std::vector<TuneJob> jobs = jobs_of(groups);
  std::vector<std::pair<std::string, RunNumbers>> made;  // not known while threads look for runs
  const JobsEnd end = make_in_order(
      jobs.size(), threads_,
      [&](std::size_t i) { return run_job(jobs[i], groups[jobs[i].group], questions, save_, true); },
      [&](std::size_t i, JobDone done) {
        const std::string& group = groups[jobs[i].group].name;
        for (RunNumbers& run : done.runs) {
          if (!done.internal_error.empty() || save_.find(group, run.seed) != nullptr) continue;
          save_.put(group, run);
          made.emplace_back(group, std::move(run));
        }
        save_.flush();
        return true;
      },
      when_interrupted_);
  for (const auto& [group, run] : made) save_.know(group, run);
  std::vector<std::pair<std::string, std::uint64_t>> wanted;
  for (const RunGroup& group : groups)
    for (std::uint64_t seed = group.first_seed; seed < group.first_seed + group.count; ++seed)
      if (!save_.is_mine(group.name, seed)) wanted.emplace_back(group.name, seed);
  const bool come =
      end == JobsEnd::done && wait_for_others(save_, std::move(wanted), [&](std::size_t missing) {
        missing_ = missing;
        observer_.waiting(missing);
      });
  if (come) missing_ = 0;
  if (!come && is_cancelled()) observer_.interrupted(progress_);
  return come;
}

std::optional<std::vector<std::vector<RunNumbers>>> TuneRuns::run_all(const std::vector<RunGroup>& groups,
                                                                      const TuneQuestions& questions) {
  std::vector<std::vector<RunNumbers>> all(groups.size());
  if (!run(groups, questions, [&all](std::size_t i, std::vector<RunNumbers> numbers) {
        all[i].insert(all[i].end(), numbers.begin(), numbers.end());
      }))
    return std::nullopt;
  return all;
}

bool search(Tuning& tuning, TuneRuns& runs) {
  for (std::vector<TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<RunGroup> groups;
    for (const TuneWork& work : works)
      groups.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting),
                        work.first_seed, work.count});
    if (!runs.run(groups, tuning.questions(),
                  [&](std::size_t i, const auto& numbers) { tuning.take(works[i], numbers); }))
      return false;
  }
  return true;
}

}  // namespace tenure::lab
