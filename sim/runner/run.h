// One run of one scenario: builds the world, runs it, and judges what happened.
//
// Thread rule: runs on different threads share nothing; one run belongs to one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct RunOptions {
  Observer* trace = nullptr;  // sees every record, after all other observers
  // For people: the worst moments in words, which thresholds have in any case; and after a failure, run once more to
  // tell it.
  bool story = true;
  Recording* recording = nullptr;         // to be filled with what happened
  RecordingListener* listener = nullptr;  // is told of that as it happens, before `trace` sees the record
  // Tell the failure of this checker, if it failed and counts, whatever else failed; empty: the first one that failed.
  std::string_view tell = {};
};

// A pure function of (scenario, seed). REQUIRES: the scenario is valid.
RunResult run(const Scenario& scenario, std::uint64_t seed, const RunOptions& options = {});

}  // namespace tenure::sim
