// The runs of a tuning: on threads, taken in order, saved as they come, and read back instead of run again.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/session/counterexample.h"
#include "lab/session/jobs.h"
#include "lab/session/saved_runs.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

// The observer is called on the session's thread.
struct TuneProgress {
  std::uint64_t done = 0;
  std::uint64_t from_before = 0;  // of these, runs that were saved and not run again
  std::uint64_t planned = 0;      // in total, as far as known
};

// Counterexamples are failures beyond the frontier.
class TuneObserver : public CounterexampleObserver {
 public:
  virtual void progressed(const TuneProgress&) {}
  // No run comes after this.
  virtual void interrupted(const TuneProgress&) {}
  virtual void runs_are_over(const TuneProgress&) {}
};

// How many runs of one setting make a job.
constexpr std::uint64_t kRunsOfJob = 25;

// Runs of one setting, with the name under which they are saved.
struct TuneJob {
  std::string group;
  const Setting* setting = nullptr;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

class TuneRuns {
 public:
  // All arguments must outlive this object.
  TuneRuns(unsigned threads, TuneSave& save, TuneObserver& observer,
           WhenInterrupted when_interrupted = WhenInterrupted::wait);

  // take(i, runs) gets the runs of job i, in order. False: it was interrupted, and the observer has been told. If it
  // does not wait for them (jobs.h), threads may still use the jobs and the callers' stacks.
  bool run(const std::vector<TuneJob>& jobs, const TuneQuestions& questions,
           const std::function<void(std::size_t, std::vector<RunNumbers>)>& take);

  // How many runs come after this round, as far as known.
  void expect(std::uint64_t runs) { progress_.planned = progress_.done + runs; }
  const TuneProgress& progress() const { return progress_; }
  // The first broken invariant of ours; empty: none.
  const std::string& internal_error() const { return internal_error_; }

 private:
  const unsigned threads_;
  TuneSave& save_;
  TuneObserver& observer_;
  const WhenInterrupted when_interrupted_;
  TuneProgress progress_;
  std::string internal_error_;
};

// The search of a tuning, round after round (lab/tune/tuning.h), until it asks for nothing more. False: it was
// interrupted.
bool search(Tuning& tuning, TuneRuns& runs);

}  // namespace tenure::lab
