// Runs saved failures again, on threads.
//
// Thread rule: blocks its caller, and starts threads.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/session/hunt_findings.h"
#include "lab/session/jobs.h"
#include "lab/session/scenario_reader.h"

namespace tenure::lab {

// Kept files, as read_scenarios reads them. Where a tail is long enough for the file's own settings, and too short for
// what is set, it is as long as that needs, with a warning: shrinking leaves the shortest tail that there can be.
struct KeptFiles {
  std::vector<ReadScenario> read;
  std::map<std::string, format::Override> tails;  // what was set for that, by path
};
KeptFiles read_kept(std::span<const std::string> paths, const ScenarioReader& reader);

// Each is handed to `done`, with its place, in the given order, as soon as it and all earlier ones are done. REQUIRES:
// each has a [regression].
JobsEnd replay_all(std::vector<format::ScenarioFile> kept, unsigned threads,
                   const std::function<void(std::size_t, ReplayedFile)>& done,
                   WhenInterrupted when_interrupted = WhenInterrupted::wait);

// The saved failures of this scenario: their origin is this file, under any spelling of its path, or they are named
// after the scenario. Takes them out of what was read from a folder.
struct KeptBefore {
  std::vector<format::ScenarioFile> files;
  std::size_t others = 0;  // files for other scenarios
};
KeptBefore regressions_of(const sim::Scenario& scenario, std::vector<ReadScenario> read);

// The scenarios in a folder; empty when there is no such folder.
std::vector<ReadScenario> read_folder(const std::string& folder, const ScenarioReader& reader);

}  // namespace tenure::lab
