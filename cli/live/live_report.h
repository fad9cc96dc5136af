// What a live run found, as text and JSON, and drawn into the timeline of its audit.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/arguments/options.h"
#include "cli/live/live_run.h"
#include "lab/audit/audit.h"
#include "lab/live/expectation.h"

namespace tenure::cli {

std::string command_of(const LiveOptions& options);
std::string text_of_live(const lab::Audit& audit, const lab::LiveVerdict& verdict,
                         const LiveRunResult& result, const sim::Scenario& scenario, const std::string& store,
                         bool paint);
// The audit as the verdict has it, in a JSON document on one line. `metrics`: null, nothing was measured.
std::string json_of_live(const lab::Audit& audit, const LiveRunResult& result, const sim::Scenario& scenario,
                         const std::string& store, std::uint64_t seed, const sim::Metrics* metrics);
std::string text_of_measures(const sim::Metrics& metrics);
// What journals do not tell: faults, pauses, the story. `first`: zero of the timeline.
void add_to_timeline(const LiveRunResult& result, journal::BootTime first, lab::Audit& audit);

}  // namespace tenure::cli
