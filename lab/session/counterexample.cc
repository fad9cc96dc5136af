#include "lab/session/counterexample.h"

#include <algorithm>
#include <vector>

#include "lab/session/cancellation.h"
#include "lab/session/one_run.h"
#include "sim/checkers/checker.h"
#include "sim/faults/plan.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/names.h"

namespace tenure::lab {
namespace {

sim::Scenario failing_scenario(const sim::Scenario& scenario, std::uint64_t seed, std::string_view checker) {
  sim::Scenario failing = scenario;
  failing.seed = seed;
  failing.faults = sim::draw_plan(failing, sim::KeyedRng(seed));
  const bool always = sim::find_checker_kind(checker)->when == sim::CheckerKind::When::always;
  failing.expect = {};
  (always ? failing.expect.always : failing.expect.eventually) =
      std::vector<std::string>{std::string(checker)};
  for (const sim::SometimesName& name : sim::kSometimesNames)
    failing.expect.sometimes.emplace_back(name.name);
  return failing;
}

}  // namespace

std::optional<SavedRegression> keep_counterexample(const sim::Scenario& scenario, std::string_view checker,
                                                   const RegressionPlace& place,
                                                   const CounterexampleSetup& setup,
                                                   CounterexampleObserver& observer,
                                                   const ShowsAsMuch& shows_as_much) {
  const std::uint64_t seed = place.origin.seed;
  const sim::Scenario failing = failing_scenario(scenario, seed, checker);
  const SeedRun outcome = run_seed(failing, seed);
  const auto failure = std::find_if(outcome.failures.begin(), outcome.failures.end(),
                                    [&](const Failure& each) { return each.checker == checker; });
  if (failure == outcome.failures.end()) {
    observer.does_not_fail_again(seed);
    return std::nullopt;
  }
  SavedRegression saved = save_regression(failing, *failure, place);
  observer.saved(saved);
  if (setup.shrink && !is_cancelled()) {
    observer.shrinking(saved);
    const auto attempt = [&shows_as_much](const sim::Scenario& smaller) {
      SeedRun run = try_case(smaller);
      if (shows_as_much && run.run && !shows_as_much(smaller, *run.run)) run.failures.clear();
      return run;
    };
    if (shrink_saved(saved, place, setup.shrink_time, attempt)) observer.saved(saved);
  }
  observer.kept(saved);
  return saved;
}

}  // namespace tenure::lab
