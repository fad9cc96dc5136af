// One run of one scenario: build the world, let it happen, judge what happened.
//
// Thread rule: runs on different threads share nothing; one run belongs to one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct RunOptions {
  Observer* trace = nullptr;  // sees every record, last of all observers
  bool story = true;          // after a failure, run once more to tell it
  // The checker whose failure is told, if it failed and counts, whatever else did; empty: the first that failed.
  std::string_view tell = {};
};

// A pure function of (scenario, seed). REQUIRES: the scenario is valid.
RunResult run(const Scenario& scenario, std::uint64_t seed, const RunOptions& options = {});

}  // namespace tenure::sim
