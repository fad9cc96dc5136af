// The frontier of safety: its runs, what theory says about each cell, and a counterexample for each unsafe cell.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/session/counterexample.h"
#include "lab/session/tune_runs.h"
#include "lab/session/tune_task.h"
#include "lab/tune/closed_form.h"
#include "lab/tune/frontier.h"

namespace tenure::lab {

struct FrontierFinding {
  FrontierCell cell;
  std::optional<TheoryBound> theory;
  std::string difference;  // how it differs from theory, and why; empty: it does not, or there is no theory
  std::optional<SavedRegression> saved;  // for a cell that fails
  bool fails_again = true;  // false: no counterexample, because its run does not fail again alone
  std::string path() const { return saved ? saved->path : std::string{}; }
};

struct FrontierFindings {
  format::TuneFrontier asked;
  std::vector<FrontierFinding> cells;
  std::string why_none;  // why some values make no valid setting; empty: all do
};

// Why no end of the frontier makes a valid setting; empty: one does. REQUIRES: the task asks for a frontier.
std::vector<TuneProblem> why_no_frontier(const TuneTask& task);

// The cells alone, without theory and counterexamples, where these checkers must hold. nullopt when it was interrupted.
// REQUIRES: the task asks for a frontier.
std::optional<std::vector<FrontierCell>> search_frontier(const TuneTask& task,
                                                         const std::vector<std::string>& checkers,
                                                         TuneRuns& runs);
// nullopt when it was interrupted. REQUIRES: the task asks for a frontier.
std::optional<FrontierFindings> find_frontier(const TuneTask& task, const CounterexampleSetup& setup,
                                              TuneRuns& runs, RunsObserver& observer);

}  // namespace tenure::lab
