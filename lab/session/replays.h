// Runs saved failures again, on threads.
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

// Each is handed to `done`, with its place, in the given order, as soon as it and all earlier ones are done. REQUIRES:
// each has a [regression].
JobsEnd replay_all(std::vector<sim::ScenarioFile> kept, unsigned threads,
                   const std::function<void(std::size_t, ReplayedFile)>& done,
                   WhenInterrupted when_interrupted = WhenInterrupted::wait);

// The saved failures of this scenario: their origin is this file, under any spelling of its path, or they are named
// after the scenario. Takes them out of what was read from a folder.
struct KeptBefore {
  std::vector<sim::ScenarioFile> files;
  std::size_t others = 0;  // files for other scenarios
};
KeptBefore regressions_of(const sim::Scenario& scenario, std::vector<ReadScenario> read);

// The scenarios in a folder; empty when there is no such folder.
std::vector<ReadScenario> read_folder(const std::string& folder, const ScenarioReader& reader);

}  // namespace tenure::lab
