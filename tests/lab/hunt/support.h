// What tests of hunts share: scenarios that leave their faults to the hunt, and cases run one by one.
#pragma once

#include <string>
#include <string_view>

#include "lab/hunt/hunt.h"
#include "sim/runner/run.h"
#include "tests/sim/runner/support.h"

namespace tenure::lab {

// small() with its faults left to the hunt; `keys` goes into [hunt].
inline format::ScenarioFile hunted(std::string_view keys = "", std::string_view protocol = "fenced-lease",
                                   std::string_view scheduler = "fenced-outbox") {
  return as_hunted(sim::file_of(sim::small("[hunt]\n" + std::string(keys), protocol, scheduler)));
}

inline CaseResult result_of(const sim::Scenario& scenario) {
  CaseResult result;
  SignatureCollector collector;
  result.run = sim::run(scenario, *scenario.seed, {.trace = &collector, .story = false});
  result.signature = collector.take(result.run);
  result.failures = failures_of(result.run);
  return result;
}

inline SeedRun run_by_its_seed(const sim::Scenario& scenario) {
  SeedRun outcome{.run = sim::run(scenario, *scenario.seed, {.story = false}), .failures = {}};
  outcome.failures = failures_of(*outcome.run);
  return outcome;
}

}  // namespace tenure::lab
