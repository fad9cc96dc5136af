// Failures that were kept, run again on threads.
//
// Thread rule: main thread, which starts others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/findings.h"
#include "cli/jobs.h"

namespace tenure::cli {

// Each is handed to `done`, with its place, in the order given, as soon as it and all before it are done.
JobsEnd replay_all(std::vector<sim::ScenarioFile> kept, unsigned jobs,
                   const std::function<void(std::size_t, ReplayedFile)>& done);

// The failures of this scenario that were kept before: those whose origin is this file, however it was spelt, or that
// are named after the scenario.
struct KeptBefore {
  std::vector<sim::ScenarioFile> files;
  std::size_t others = 0;  // files in the folder that are of something else
};
KeptBefore regressions_of(const sim::Scenario& scenario, const std::string& folder, Streams& streams);

ExitCode exit_code_of(const sim::Replayed& replayed);

}  // namespace tenure::cli
