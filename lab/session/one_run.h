// One run of a batch: one scenario with one seed, made safe to run on any thread: a broken invariant of ours is told,
// where checks throw (lab/hunt/throwing_checks.h).
//
// Thread rule: pure functions; runs on different threads share nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/plans/plans.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::lab {

struct RunOutcome {
  std::optional<sim::RunResult> result;  // none: an internal error
  std::string internal_error;            // what a CHECK or an exception said
  std::string difference;  // run twice, and not the same: the first event that differs, both sides
};

struct OneRun {
  const sim::ScenarioFile* file = nullptr;
  std::uint64_t seed = 0;
  sim::Observer* trace = nullptr;
  bool twice = false;
};

RunOutcome run_one(const OneRun& job);

// Runs it twice, and says where the two histories part.
std::string first_difference(const sim::Scenario& scenario, std::uint64_t seed);

}  // namespace tenure::lab
