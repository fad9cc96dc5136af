// What a live run found, as text, and drawn into the timeline of its audit.
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
std::string text_of_measures(const sim::Metrics& metrics);
// What journals do not tell: faults, pauses, the story. `first`: zero of the timeline.
void add_to_timeline(const LiveRunResult& result, journal::BootTime first, const lab::LiveVerdict& verdict,
                     lab::Audit& audit);

}  // namespace tenure::cli
