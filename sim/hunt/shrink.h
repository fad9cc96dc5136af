// Shrinking: from a run that failed to the smallest scenario that fails in the same way.
//
//   1. Every candidate is what its own file says: it is printed and parsed before it is tried, so that what is kept is
//      a file that `tenure run` accepts, with that very trace.
//   2. A candidate is kept only when the same checker says the same (failure.h).
//   3. First everything drawn is pinned; then whole things go (faults, schedules, edits, instances, the end of the run,
//      noise), then what is left becomes shorter and rounder. Over and over, until a round changes nothing.
//
// Noise is keyed and not streamed (sim/kernel/noise.h), which is why taking one fault away leaves the rest of the run
// much as it was. Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002.
//
// Thread rule: one shrink belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/schedule/time_zone.h"
#include "sim/hunt/failure.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct ShrinkSetup {
  TryCase try_case;
  const TimeZones& zones;
  std::function<bool()> go_on = [] { return true; };  // false: the time is up
};

struct Shrunk {
  Scenario scenario;
  Failure failure;
  std::uint64_t tries = 0;
  bool finished = false;  // nothing was left to try; false: the time was up
};

// REQUIRES: `failing`, which has a seed, fails with `failure`.
Shrunk shrink(const Scenario& failing, const Failure& failure, const ShrinkSetup& setup);

// ---- for a search of somebody else's (testing/generators.h) ----

enum class ScenarioPart : std::uint8_t { faults, cluster, schedules, length };

// Every scenario that is one step simpler in one of these parts, those with whole things gone first. None was tried, or
// held against the file format.
std::vector<Scenario> simpler(const Scenario& scenario, const std::set<ScenarioPart>& parts);

// Printed and parsed; none when that is no scenario. Its protocol need not be one of the registry.
std::optional<Scenario> as_its_file_says(const Scenario& scenario, const TimeZones& zones);

}  // namespace tenure::sim
