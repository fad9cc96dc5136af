// The data of a page as JSON: the run's document (json_run.h) as `run`, and what happened in it as `recording`.
//
// Each list of the recording is a table: {"columns":[…],"rows":[[…],…]}. Times are seconds since the start of the run;
// null: it goes on, or did not happen. Nodes are their places in `nodes`.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/options.h"
#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

// Its `recording`, as JSON. Requests as below.
std::string json_of_recording(const sim::Recording& recording, const std::optional<sim::Span>& window);

// Of a long run, requests are in it only where there is news (detail.h), and in `window`; `detail` has those spans.
std::string page_data(const sim::Recording& recording, const sim::RunResult& result,
                      const sim::Scenario& scenario, const std::optional<TimeRange>& window);

}  // namespace tenure::cli
