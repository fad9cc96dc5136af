#include "cli/case_run.h"

#include <exception>
#include <utility>

#include "cli/one_run.h"
#include "sim/runner/run.h"

namespace tenure::cli {
namespace {

sim::Failure broken_invariant(const std::exception& error) {
  return {std::string(sim::kBrokenInvariant), error.what(), {}};
}

}  // namespace

CaseOutcome run_case(const sim::Scenario& scenario, bool twice) {
  CaseOutcome outcome;
  try {
    sim::SignatureCollector collector;
    outcome.result.run = sim::run(scenario, *scenario.seed, {.trace = &collector, .story = false});
    outcome.result.signature = collector.take(outcome.result.run);
    outcome.result.failure = sim::failure_of(outcome.result.run);
    if (twice &&
        sim::run(scenario, *scenario.seed, {.story = false}).trace_hash != outcome.result.run.trace_hash)
      outcome.difference = first_difference(scenario, *scenario.seed);
  } catch (const std::exception& error) {
    outcome.result.failure = broken_invariant(error);
  }
  return outcome;
}

std::optional<sim::Failure> try_case(const sim::Scenario& scenario) {
  return run_seed(scenario, *scenario.seed, false).failure;
}

sim::SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed, bool story) {
  sim::SeedRun outcome;
  try {
    outcome.run = sim::run(scenario, seed, {.story = story});
    outcome.failure = sim::failure_of(*outcome.run);
  } catch (const std::exception& error) {
    outcome.failure = broken_invariant(error);
  }
  return outcome;
}

}  // namespace tenure::cli
