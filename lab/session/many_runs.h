// Runs of groups, each run a function of its seed: on threads, taken in order, saved as they come, and read back
// instead of run again.
//
// One of several parts (saved_runs.h) first makes the runs that are its own, and then waits for those of the others.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/session/counterexample.h"
#include "lab/session/jobs.h"
#include "lab/session/saved_runs.h"

namespace tenure::lab {

struct RunsProgress {
  std::uint64_t done = 0;
  std::uint64_t from_before = 0;  // of these, runs that were saved and not run again
  std::uint64_t planned = 0;      // in total, as far as known
};

// The observer is called on the session's thread. Counterexamples are those of what fails.
class RunsObserver : public CounterexampleObserver {
 public:
  // What the runs from here on are for, where a session does several things; empty: what it was asked for.
  virtual void begins(const std::string& /*what*/) {}
  virtual void progressed(const RunsProgress&) {}
  // The runs of other parts are waited for.
  virtual void waiting(std::uint64_t /*missing*/) {}
  // No run comes after this, and threads were left at work (WhenInterrupted::leave).
  virtual void interrupted(const RunsProgress&) {}
  virtual void runs_are_over(const RunsProgress&) {}
};

template <class Numbers>
struct RunGroup {
  std::string name;   // under which its runs are saved
  std::string title;  // for people
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
  std::function<Numbers(std::uint64_t seed)> make;
  // What stands for a run that broke an invariant of ours; null: nothing does.
  std::function<Numbers(std::uint64_t seed)> broken = nullptr;
  // Whether a saved run answers what is asked; null: it does.
  std::function<bool(const Numbers&)> answers = nullptr;
};

// How long a part waits for others that make no run meanwhile.
inline constexpr std::chrono::minutes kPatience{10};

template <class Numbers>
class ManyRuns {
 public:
  using Group = RunGroup<Numbers>;
  using Take = std::function<void(std::size_t group, std::vector<Numbers> runs)>;

  // All arguments must outlive this object.
  ManyRuns(unsigned threads, SavedRuns<Numbers>& save, RunsObserver& observer,
           WhenInterrupted when_interrupted = WhenInterrupted::wait)
      : threads_(threads), save_(save), observer_(observer), when_interrupted_(when_interrupted) {}

  // take(i, runs) gets the runs of group i, in order, some at a time. False: it was interrupted, or the runs of other
  // parts do not come. If it does not wait for them (jobs.h), threads may still use the groups and the callers' stacks.
  bool run(const std::vector<Group>& groups, const Take& take);

  const RunsProgress& progress() const { return progress_; }
  // The runs of other parts are no matter of this one: only what decides which runs come next.
  bool is_part() const { return save_.shard().has_value(); }
  // Of one of several parts: it ended because so many runs of the others did not come.
  std::uint64_t missing() const { return missing_; }
  // The first broken invariant of ours; empty: none.
  const std::string& internal_error() const { return internal_error_; }

 private:
  // Some runs of a group, on one thread.
  struct Piece {
    const Group* group;
    std::size_t place;  // of the group
    std::uint64_t first_seed;
    std::uint64_t count;
  };
  struct Made {
    std::vector<Numbers> runs;
    std::vector<Numbers> fresh;  // of these, those that were not saved before
    std::string internal_error;
  };

  // `mine`: only the runs of this part.
  Made make(const Piece& piece, bool mine) const;
  void keep(const Piece& piece, const Made& made);
  // Makes what is this part's, and waits for the others. False: it was interrupted, or they do not come.
  bool share(const std::vector<Piece>& pieces);
  bool wait_for_others(const std::vector<Piece>& pieces);
  bool interrupt();

  const unsigned threads_;
  SavedRuns<Numbers>& save_;
  RunsObserver& observer_;
  const WhenInterrupted when_interrupted_;
  RunsProgress progress_;
  std::string internal_error_;
  std::uint64_t missing_ = 0;
};

}  // namespace tenure::lab
