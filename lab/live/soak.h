// What each run of a soak does, and what all of them have come to.
//
//   1. A run is a pure function of (file, seed): its faults are those of the file, and those that a hunt draws
//      (lab/hunt/swarm.h), less those that cannot be done live. Its edits are drawn besides those of the file.
//   2. It is judged by what the file demands, but for what must happen at some time: one run need not have it.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <string>

#include "format/plans/plans.h"
#include "lab/live/expectation.h"
#include "lab/live/measure.h"
#include "lab/live/plan.h"

namespace tenure::lab {

format::ScenarioFile draw_soak(const format::ScenarioFile& file, const LiveMeans& means, std::uint64_t seed);

struct SoakTotals {
  std::uint64_t runs = 0;
  std::uint64_t not_passed = 0;
  std::uint64_t restarts = 0;  // of processes that were killed or stopped
  std::uint64_t pauses = 0;
  std::uint64_t faults = 0;  // that struck, of any kind
  std::uint64_t edits = 0;
  std::uint64_t fires = 0;
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t early = 0;

  void add(const LiveVerdict& verdict, const LiveFacts& facts, const OutsideFacts& outside,
           std::uint64_t fires_begun);
};
std::string describe(const SoakTotals& totals);

}  // namespace tenure::lab
