// Shrinking: from a run that failed to the smallest scenario that fails in the same way.
//
//   1. Every candidate is what its own file says: it is printed and parsed before it is tried, so that what is kept is
//      a file that `tenure run` accepts, with that very trace.
//   2. A candidate is kept only when the same checker says the same (failure.h), whatever other checkers say.
//   3. First everything drawn is pinned; then whole things go (faults, schedules, edits, instances, the end of the run,
//      noise), then what is left becomes shorter and rounder. Over and over, until a round changes nothing.
//   4. What is owed at the end of a run is owed within the tail, so for such a failure the tail stays as long as it
//      was: within a shorter one anything is late.
//   5. It ends after a number of tries, so that every machine comes to the same; a clock is only there for runs that
//      take very long.
//
// Noise is keyed and not streamed (sim/kernel/keyed_rng.h), which is why taking one fault away leaves the rest of
// the run much as it was. Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE
// 2002.
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

namespace tenure::sim {

// Ten times what any of scenarios/hunt.toml took: cases with up to ten faults and seven schedules, 40 to 160.
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
    time_up,  // on another machine it may become smaller
  };
  Scenario scenario;
  Failure failure;
  std::uint64_t tries = 0;
  End end = End::finished;
};

// REQUIRES: `failing`, which has a seed, fails with `failure`.
Shrunk shrink(const Scenario& failing, const Failure& failure, const ShrinkSetup& setup);

// ---- for a search of somebody else's (testing/generators.h) ----

enum class ScenarioPart : std::uint8_t { faults, cluster, schedules, length };

// Every scenario that is one step simpler in one of these parts, those with whole things gone first; the tail stays as
// it is, because nobody knows what failed. None was tried, or held against the file format.
std::vector<Scenario> simpler(const Scenario& scenario, const std::set<ScenarioPart>& parts);

// Printed and parsed; none when that is no scenario. Its protocol need not be one of the registry.
std::optional<Scenario> as_its_file_says(const Scenario& scenario, const TimeZones& zones);
std::optional<ScenarioFile> as_its_file_says(const ScenarioFile& file, const TimeZones& zones);

}  // namespace tenure::sim
