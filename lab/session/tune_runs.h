// The runs of a tuning: on threads, taken in order, saved as they come, and read back instead of run again.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  // The runs of other parts are waited for.
  virtual void waiting(std::uint64_t /*missing*/) {}
  // No run comes after this.
  virtual void interrupted(const TuneProgress&) {}
  virtual void runs_are_over(const TuneProgress&) {}
};

// Runs of one setting, with the name under which they are saved.
struct RunGroup {
  std::string name;
  const Setting* setting = nullptr;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

class TuneRuns {
 public:
  // All arguments must outlive this object.
  TuneRuns(unsigned threads, TuneSave& save, TuneObserver& observer,
           WhenInterrupted when_interrupted = WhenInterrupted::wait);

  // take(i, runs) gets the runs of group i, in order, some at a time. False: it was interrupted, and the observer has
  // been told. If it does not wait for them (jobs.h), threads may still use the groups and the callers' stacks.
  bool run(const std::vector<RunGroup>& groups, const TuneQuestions& questions,
           const std::function<void(std::size_t, std::vector<RunNumbers>)>& take);
  // The runs of each group; nullopt: it was interrupted.
  std::optional<std::vector<std::vector<RunNumbers>>> run_all(const std::vector<RunGroup>& groups,
                                                              const TuneQuestions& questions);

  const TuneProgress& progress() const { return progress_; }
  // The runs of other parts are no matter of this one: only what decides which runs come next.
  bool is_part() const { return save_.shard().has_value(); }
  // Of one of several parts: it ended because so many runs of the others did not come.
  std::uint64_t missing() const { return missing_; }
  // The first broken invariant of ours; empty: none.
  const std::string& internal_error() const { return internal_error_; }

 private:
  // Makes what is this part's, and waits for the others. False: it was interrupted, or they do not come.
  bool share(const std::vector<RunGroup>& groups, const TuneQuestions& questions);

  const unsigned threads_;
  TuneSave& save_;
  TuneObserver& observer_;
  const WhenInterrupted when_interrupted_;
  TuneProgress progress_;
  std::string internal_error_;
  std::uint64_t missing_ = 0;
};

// The search of a tuning, round after round (lab/tune/tuning.h), until it asks for nothing more. False: it was
// interrupted.
bool search(Tuning& tuning, TuneRuns& runs);

}  // namespace tenure::lab
