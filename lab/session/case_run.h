// One case of a hunt, made safe to run on any thread: an invariant of ours that breaks is a failure like any other,
// where checks throw (lab/hunt/throwing_checks.h).
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
  sim::CaseResult result;
  std::string difference;  // run twice, and not the same: the first event that differs, both sides
};

// `scenario` is literal, and has a seed. `twice`: and once more, to compare all that a hunt makes of it: the trace, the
// verdict, what was violated and measured, and the signature.
CaseOutcome run_case(const sim::Scenario& scenario, bool twice);

// How a scenario fails with its own seed.
std::vector<sim::Failure> try_case(const sim::Scenario& scenario);

// With another seed than its own.
sim::SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed);
// The same, and the story when it fails.
sim::SeedRun tell_seed(const sim::ScenarioFile& file, std::uint64_t seed);

}  // namespace tenure::lab
