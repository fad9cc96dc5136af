// Failures that were kept, run again on threads.
//
// Thread rule: blocks its caller, and starts threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/session/hunt_findings.h"
#include "lab/session/jobs.h"
#include "lab/session/scenario_reader.h"

namespace tenure::lab {

// Each is handed to `done`, with its place, in the order given, as soon as it and all before it are done.
// REQUIRES: each has a [regression].
JobsEnd replay_all(std::vector<sim::ScenarioFile> kept, unsigned threads,
                   const std::function<void(std::size_t, ReplayedFile)>& done,
                   WhenInterrupted when_interrupted = WhenInterrupted::wait);

// The failures of this scenario that were kept before: those whose origin is this file, however it was spelt, or that
// are named after the scenario. Takes them out of what was read of a folder.
struct KeptBefore {
  std::vector<sim::ScenarioFile> files;
  std::size_t others = 0;  // files that are of something else
};
KeptBefore regressions_of(const sim::Scenario& scenario, std::vector<ReadScenario> read);

// What is in a folder; nothing when there is none.
std::vector<ReadScenario> read_folder(const std::string& folder, const ScenarioReader& reader);

}  // namespace tenure::lab
