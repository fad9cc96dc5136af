// The frontier of safety: its runs, what theory says of each cell, and a counterexample for each that is unsafe.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/tune_runs.h"
#include "cli/tune_task.h"
#include "lab/tune/closed_form.h"
#include "lab/tune/frontier.h"

namespace tenure::cli {

struct FrontierFinding {
  sim::FrontierCell cell;
  std::optional<sim::TheoryBound> theory;
  std::string difference;  // from theory, and why; empty: none, or there is no theory
  std::string path;        // of the counterexample; empty: none
};

struct FrontierReport {
  sim::TuneFrontier asked;
  std::vector<FrontierFinding> findings;
  std::string why_none;  // why some values make no setting; empty: all do
  ExitCode code = ExitCode::pass;
};

FrontierReport find_frontier(const TuneTask& task, const TuneOptions& options, TuneRuns& runs,
                             Streams& streams);

}  // namespace tenure::cli
