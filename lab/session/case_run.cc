#include "lab/session/case_run.h"

#include <algorithm>
#include <exception>

#include "core/base/host_failure.h"
#include "lab/session/one_run.h"
#include "sim/runner/run.h"

namespace tenure::lab {
namespace {

Failure broken_invariant(const std::exception& error) {
  return {std::string(format::kBrokenInvariant), error.what(), {}};
}

CaseResult run_once(const sim::Scenario& scenario) {
  CaseResult result;
  try {
    SignatureCollector collector;
    result.run = sim::run(scenario, *scenario.seed, {.trace = &collector, .story = false});
    result.signature = collector.take(result.run);
    result.failures = failures_of(result.run);
  } catch (const HostFailure&) {
    throw;
  } catch (const std::exception& error) {
    result.failures = {broken_invariant(error)};
  }
  return result;
}

bool equal(const CaseResult& a, const CaseResult& b) {
  const auto says_the_same = [](const Failure& one, const Failure& other) {
    return one.checker == other.checker && one.message == other.message && one.at == other.at;
  };
  return a.run == b.run && a.signature == b.signature &&
         std::equal(a.failures.begin(), a.failures.end(), b.failures.begin(), b.failures.end(),
                    says_the_same);
}

std::string difference_of(const sim::Scenario& scenario) {
  try {
    return first_difference(scenario, *scenario.seed);
  } catch (const HostFailure&) {
    throw;
  } catch (const std::exception& error) {
    return std::string("once an invariant broke: ") + error.what() + "\n";
  }
}

SeedRun run_with(const sim::Scenario& scenario, std::uint64_t seed, const sim::RunOptions& options) {
  SeedRun outcome;
  try {
    outcome.run = sim::run(scenario, seed, options);
    outcome.failures = failures_of(*outcome.run);
  } catch (const HostFailure&) {
    throw;
  } catch (const std::exception& error) {
    outcome.failures = {broken_invariant(error)};
  }
  return outcome;
}

}  // namespace

CaseOutcome run_case(const sim::Scenario& scenario, bool twice) {
  CaseOutcome outcome{.result = run_once(scenario), .difference = {}};
  if (twice && !equal(outcome.result, run_once(scenario))) outcome.difference = difference_of(scenario);
  return outcome;
}

std::vector<Failure> try_case(const sim::Scenario& scenario) {
  return run_seed(scenario, *scenario.seed).failures;
}

SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed) {
  return run_with(scenario, seed, {.story = false});
}

SeedRun tell_seed(const format::ScenarioFile& file, std::uint64_t seed) {
  return run_with(file.scenario, seed, {.tell = checker_to_tell(file)});
}

}  // namespace tenure::lab
