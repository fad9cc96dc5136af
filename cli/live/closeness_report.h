// `tenure live --compare-with-simulation`: simulates what was run live, and shows both side by side.
//
// Thread rule: main thread; the simulated runs are on threads of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reports/html/cases_page.h"
#include "cli/terminal/terminal.h"
#include "format/plans/plans.h"
#include "lab/live/closeness.h"

namespace tenure::cli {

inline constexpr std::size_t kSimulatedRuns = 1'000;

// What was measured in live runs.
struct LiveSide {
  lab::MeasurePool pool;
  lab::MachineTimes times;
  Duration hears_after =
      Duration::millis(1);  // of a change, at most; where no store tells, one looks for changes
};

struct LiveComparison {
  std::string failed;                // why there is none; empty: there is
  std::vector<lab::Closeness> each;  // in the order of lab::Measure
  lab::MeasurePool live;
  lab::MeasurePool simulated;
  std::vector<lab::MeasuredTimes> measured;  // on this machine, and given to the simulated runs
};

// nullopt: it was interrupted.
std::optional<LiveComparison> compare_with_simulation(const LiveSide& live, const format::ScenarioFile& file,
                                                      std::uint64_t seed, Streams& streams);

std::string text_of_closeness(const LiveComparison& comparison);
// A JSON document on one line.
std::string json_of_closeness(const LiveComparison& comparison);
// With a picture of each distribution. `command`: as it was given.
PageSection section_of_closeness(const LiveComparison& comparison, const sim::Scenario& scenario,
                                 const std::string& command);

}  // namespace tenure::cli
