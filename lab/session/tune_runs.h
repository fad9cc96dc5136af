// Runs for a tuning: on threads, taken in order, kept as they come, and taken from what was kept before.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/session/jobs.h"
#include "lab/session/tune_observer.h"
#include "lab/session/tune_save.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

// How many runs of a setting are handed out together.
constexpr std::uint64_t kRunsOfJob = 25;

// Runs of one setting, with the name under which they are kept.
struct TuneJob {
  std::string group;
  const sim::Setting* setting = nullptr;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

class TuneRuns {
 public:
  // All of them must outlive it.
  TuneRuns(unsigned threads, TuneSave& save, TuneObserver& observer,
           WhenInterrupted when_interrupted = WhenInterrupted::wait);

  // take(i, runs) gets what job i gave, in order. False: it was interrupted, and the observer has been told; threads
  // may be at work on the jobs, and on what its callers have on the stack, if they are not waited for (jobs.h).
  bool run(const std::vector<TuneJob>& jobs, const sim::TuneQuestions& questions,
           const std::function<void(std::size_t, std::vector<sim::RunNumbers>)>& take);

  // Runs that are to come after this round, as far as is known.
  void expect(std::uint64_t runs) { progress_.planned = progress_.done + runs; }
  const TuneProgress& progress() const { return progress_; }
  // The invariant of ours that broke first; empty: none did.
  const std::string& internal_error() const { return internal_error_; }

 private:
  const unsigned threads_;
  TuneSave& save_;
  TuneObserver& observer_;
  const WhenInterrupted when_interrupted_;
  TuneProgress progress_;
  std::string internal_error_;
};

}  // namespace tenure::lab
