// A tuning from its file to its findings: the search through settings, the frontier of safety, and the month.
//
//   1. Runs depend on what is asked and never on how many threads there are.
//   2. What was kept of earlier runs (tune_save.h) is not run again.
//
// Thread rule: one thread, which starts others. Interrupted (interruption.h), they may be at work on it still, if it is
// not to wait for them (jobs.h).
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
  std::unique_ptr<sim::Tuning> tuning;  // its settings, and what came of each
  sim::TuneJudgement judgement;
  std::uint64_t left_out = 0;  // settings that are none: ill-formed
  std::string why_left_out;    // the first of them
  std::optional<FrontierFindings> frontier;
  std::vector<ProfileFinding> profile;  // of the settings worth having, and the file's own
  std::string internal_error;           // an invariant of ours that broke, the first; empty: none did
  bool interrupted = false;             // then the rest is not to be read
};

class TuneSession {
 public:
  // `observer` must outlive it.
  TuneSession(TuneTask task, TuneSetup setup, TuneObserver& observer);

  // Makes the settings that the file asks for; why there are none, if so. Call once, before run().
  std::vector<TuneProblem> make_settings();
  // `save` keeps the runs. Call once. REQUIRES: there are settings, and the frontier is possible (tune_frontier.h).
  const TuneFindings& run(TuneSave& save);
  // Of the findings: objectives of which no setting has a sample, because nothing in the file brings them about.
  std::vector<TuneProblem> objectives_without_samples() const;

  const TuneTask& task() const { return task_; }

 private:
  // False: it was interrupted.
  bool find_all(TuneRuns& runs);

  const TuneTask task_;
  const TuneSetup setup_;
  TuneObserver& observer_;
  const sim::ThrowingChecks checks_;
  std::vector<sim::Setting> made_;
  TuneFindings findings_;
};

}  // namespace tenure::lab
