// The frontier of safety: its runs, what theory says of each cell, and a counterexample for each that is unsafe.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/session/tune_runs.h"
#include "lab/session/tune_task.h"
#include "lab/tune/closed_form.h"
#include "lab/tune/frontier.h"

namespace tenure::lab {

// Where failures beyond the frontier are written down.
struct CounterexampleSetup {
  std::string folder = "counterexamples";
  bool shrink = true;
  Duration shrink_time = Duration::seconds(10);
};

struct FrontierFinding {
  sim::FrontierCell cell;
  std::optional<sim::TheoryBound> theory;
  std::string difference;                // from theory, and why; empty: none, or there is no theory
  std::optional<SavedRegression> saved;  // of a cell that fails
  bool fails_again = true;               // false: it has none, because its run does not fail again by itself
  std::string path() const { return saved ? saved->path : std::string{}; }
};

struct FrontierFindings {
  sim::TuneFrontier asked;
  std::vector<FrontierFinding> cells;
  std::string why_none;  // why some values make no setting; empty: all do
};

// Why none of its ends makes a setting, as its first try would find out; empty: one does. REQUIRES: it asks for one.
std::vector<TuneProblem> why_no_frontier(const TuneTask& task);

// Nothing when it was interrupted. REQUIRES: the task asks for one.
std::optional<FrontierFindings> find_frontier(const TuneTask& task, const CounterexampleSetup& setup,
                                              TuneRuns& runs, TuneObserver& observer);

}  // namespace tenure::lab
