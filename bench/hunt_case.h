// One case of a hunt, as a session runs it: what the hunt benchmarks measure.
#pragma once

#include <utility>
#include <vector>

#include "lab/hunt/failure.h"
#include "lab/hunt/hunt.h"
#include "lab/hunt/signature.h"
#include "sim/runner/run.h"

namespace tenure::sim {

// Returns what failed.
inline std::vector<lab::Failure> hunt_one_case(lab::Hunt& hunt) {
  if (hunt.generation_size() == 0) hunt.begin_generation();
  lab::Case made = hunt.make(hunt.next_case());
  lab::SignatureCollector collector;
  lab::CaseResult result;
  result.run = run(made.scenario, *made.scenario.seed, {.trace = &collector, .story = false});
  result.signature = collector.take(result.run);
  result.failures = lab::failures_of(result.run);
  auto failures = result.failures;
  hunt.take(std::move(made), result);
  return failures;
}

}  // namespace tenure::sim
