#include "sim/hunt/shrink.h"

#include "sim/faults/plan.h"
#include "sim/hunt/shrinker.h"
#include "sim/scenario/toml/parse.h"
#include "sim/scenario/toml/print.h"

namespace tenure::sim {

bool Shrinker::accept(const Scenario& candidate) {
  if (time_is_up_ || !setup_.go_on()) {
    time_is_up_ = true;
    return false;
  }
  const ParseResult parsed = parse_scenario(best_.path, print_scenario(candidate), {}, setup_.zones);
  if (!parsed.scenario) return false;
  ++tries_;
  const std::optional<Failure> failure = setup_.try_case(*parsed.scenario);
  if (!failure || !failure->same_as(failure_)) return false;
  best_ = *parsed.scenario;
  last_failure_ = *failure;
  return true;
}

Shrunk shrink(const Scenario& failing, const Failure& failure, const ShrinkSetup& setup) {
  Shrinker shrinker(failing, failure, setup);
  shrinker.try_change([](Scenario& scenario) {
    scenario.faults = draw_plan(scenario, Noise(*scenario.seed));
    scenario.thresholds.clear();
    scenario.expect.sometimes.clear();
    scenario.hunt.reset();
  });
  bool smaller = true;
  while (smaller && !shrinker.time_is_up()) {
    smaller = false;
    for (const auto& pass : {drop_faults, shorten_run, drop_schedules, drop_instances, quieten,
                             simplify_faults, simplify_schedules})
      smaller |= pass(shrinker);
  }
  return {shrinker.best(), shrinker.failure(), shrinker.tries(), !shrinker.time_is_up()};
}

}  // namespace tenure::sim
