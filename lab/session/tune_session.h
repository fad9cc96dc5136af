// A tuning from its file to its findings: the search through settings, the frontier of safety, and the month.
//
//   1. Runs depend on what is asked, never on the number of threads.
//   2. Saved runs (saved_runs.h) are not run again.
//
// Thread rule: one thread, which starts others. After a cancellation (cancellation.h) these may still use the session,
// if it does not wait for them (jobs.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/hunt/throwing_checks.h"
#include "lab/session/tune_frontier.h"
#include "lab/session/tune_profile.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

struct TuneSetup {
  unsigned threads = 1;
  CounterexampleSetup counterexamples = {};
  WhenInterrupted when_interrupted = WhenInterrupted::wait;
};

struct TuneFindings {
  std::unique_ptr<Tuning> tuning;  // its settings, and the results of each
  TuneJudgement judgement;
  // Combinations that are no settings: why, what to do about it, and how many, in the order of the first of each.
  struct Skipped {
    std::string why;
    std::string note;  // may be empty
    std::uint64_t count = 0;
  };
  std::vector<Skipped> skipped;
  std::optional<FrontierFindings> frontier;
  std::vector<ProfileFinding> profile;  // for the settings worth having, and the file's own
  std::string internal_error;           // the first broken invariant of ours; empty: none
  bool interrupted = false;             // if true, the rest is what there was by then
  std::uint64_t missing = 0;  // of one of several parts: interrupted because so many runs did not come
};

class TuneSession {
 public:
  // `observer` must outlive the session.
  TuneSession(TuneTask task, TuneSetup setup, RunsObserver& observer);

  // Makes the settings that the file asks for; returns why there are none. Call once, before run().
  std::vector<TuneProblem> make_settings();
  // `save` saves the runs. Call once. REQUIRES: there are settings, and the frontier is possible (tune_frontier.h).
  const TuneFindings& run(TuneSave& save);
  // What there is, when the observer is told of an interruption.
  const TuneFindings& so_far();
  // Objectives without a sample in any setting, because nothing in the file causes them.
  std::vector<TuneProblem> objectives_without_samples() const;

  const TuneTask& task() const { return task_; }

 private:
  void skip(const format::Diagnostic& why);
  // False: it was interrupted.
  bool find_all(TuneRuns& runs);

  const TuneTask task_;
  const TuneSetup setup_;
  RunsObserver& observer_;
  const ThrowingChecks checks_;
  std::vector<Setting> made_;
  TuneFindings findings_;
};

}  // namespace tenure::lab
