// One case of a hunt, safe to run on any thread. Where checks throw (lab/hunt/throwing_checks.h), a broken invariant of
// ours is a failure like any other. A HostFailure is none, and is thrown.
//
// Thread rule: pure functions; cases on different threads share nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/hunt/hunt.h"
#include "lab/hunt/regression.h"

namespace tenure::lab {

struct CaseOutcome {
  CaseResult result;
  std::string difference;  // two runs differ: the first event that differs, both sides
};

// `scenario` is literal, and has a seed. `twice`: runs it again, and compares everything that a hunt uses: the trace,
// the verdict, violations, measurements, and the signature.
CaseOutcome run_case(const sim::Scenario& scenario, bool twice);

// How a scenario fails with its own seed.
std::vector<Failure> try_case(const sim::Scenario& scenario);

// Runs the scenario with `seed` instead of its own.
SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed);
// The same, and the story when it fails.
SeedRun tell_seed(const format::ScenarioFile& file, std::uint64_t seed);

}  // namespace tenure::lab
