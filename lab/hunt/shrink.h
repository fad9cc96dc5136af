// Shrinking: from a run that failed to the smallest scenario that fails in the same way.
//
//   1. Every candidate is printed and parsed before it is tried. So the result is a file that `tenure run` accepts,
//      with the same trace.
//   2. A candidate is kept only if the same checker says the same (failure.h), and no checker fails that did not fail
//      in the first run.
//   3. First everything drawn is pinned. Then whole parts are removed (faults, schedules, edits, destinations, workers,
//      instances, the end of the run, the time before and between faults, noise). Then the rest becomes shorter and
//      rounder, and faults end with the run, so that none is cut short. This repeats until a round changes nothing.
//   4. Failures that are judged at the end of a run depend on the tail. For these, the tail keeps its length: in a
//      shorter one everything is late.
//   5. It ends after a number of tries, so that every machine gets the same result. The clock is only for runs that
//      take very long.
//
// Noise is keyed and not streamed (sim/kernel/keyed_rng.h), so without one fault the rest of the run stays much the
// same. Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002.
//
// Thread rule: one shrink belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/schedule/time_zone.h"
#include "lab/hunt/failure.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// Ten times as many as any case of scenarios/hunt.toml needed: 40 to 160, with up to ten faults and seven schedules.
inline constexpr std::uint64_t kShrinkTries = 2'000;

struct ShrinkSetup {
  TryCase try_case;
  const TimeZones& zones;
  std::function<bool()> go_on = [] { return true; };  // false: the time is up
  std::uint64_t most_tries = kShrinkTries;
};

struct Shrunk {
  enum class End : std::uint8_t {
    finished,  // nothing was left to try
    tries_up,
    time_up,  // another machine may get a smaller result
  };
  sim::Scenario scenario;
  Failure failure;
  std::uint64_t tries = 0;
  End end = End::finished;
};

// REQUIRES: `failing`, which has a seed, fails with `failure`.
Shrunk shrink(const sim::Scenario& failing, const Failure& failure, const ShrinkSetup& setup);

// ---- for other searches (lab/testing/generators.h) ----

enum class ScenarioPart : std::uint8_t { faults, cluster, schedules, length };

// All scenarios that are one step simpler in one of these parts, those without a whole part first. The tail stays as it
// is, because it is unknown what failed. They are neither run nor checked against the file format.
std::vector<sim::Scenario> simpler(const sim::Scenario& scenario, const std::set<ScenarioPart>& parts);

// The scenario printed and parsed; nullopt when that is not valid. Its protocol need not be in the registry.
std::optional<sim::Scenario> as_its_file_says(const sim::Scenario& scenario, const TimeZones& zones);
std::optional<format::ScenarioFile> as_its_file_says(const format::ScenarioFile& file,
                                                     const TimeZones& zones);

}  // namespace tenure::lab
