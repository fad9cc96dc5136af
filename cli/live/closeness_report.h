// `tenure live --compare-with-simulation`: simulates what was run live, and shows both side by side.
//
// Thread rule: main thread; the simulated runs are on threads of their own.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "format/plans/plans.h"
#include "lab/live/closeness.h"

namespace tenure::cli {

inline constexpr std::size_t kSimulatedRuns = 1'000;

// What was measured in live runs.
struct LiveSide {
  lab::MeasurePool pool;
  lab::MachineTimes times;
  Duration looks_every;  // for changes, where a store does not tell of them
};
// Empty: it was interrupted.
std::string compare_with_simulation(const LiveSide& live, const format::ScenarioFile& file,
                                    std::uint64_t seed, Streams& streams);

std::string text_of_closeness(const std::vector<lab::Closeness>& all, const lab::MeasurePool& live,
                              const lab::MeasurePool& simulated);

}  // namespace tenure::cli
