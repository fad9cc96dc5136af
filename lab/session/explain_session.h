// The experiments of one setting (lab/tune/explain.h), simulated.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/session/tune_runs.h"
#include "lab/tune/explain.h"

namespace tenure::lab {

struct ExplainFindings {
  std::vector<Shown> shown;
  std::vector<std::string> not_made;  // for each experiment that cannot be made here: why
  std::string internal_error;         // the first broken invariant of ours; empty: none
  bool interrupted = false;           // if true, do not read the rest

  // None when no experiment of that kind was made.
  const Shown* find(Experiment::Kind kind) const;
};

inline constexpr std::uint64_t kSeedsOfExperiment = 1'000;  // the default

ExplainFindings run_experiments(const std::vector<Experiment>& experiments, std::uint64_t seeds,
                                unsigned threads, RunsObserver& observer,
                                WhenInterrupted when_interrupted = WhenInterrupted::wait);

}  // namespace tenure::lab
