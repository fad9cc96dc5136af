#include "format/parse/tail.h"

#include <fmt/format.h>

#include <string>

#include "format/parse/build.h"
#include "format/syntax/units.h"
#include "sim/faults/recovery.h"

namespace tenure::format {

Duration needed_tail(const sim::Scenario& scenario) { return sim::recovery(scenario); }

void judge_tail(Build& build) {
  if (!build.duration_known || !build.cluster_known || !build.parameters_known || !build.faults_known) return;
  const Duration needed = needed_tail(build.scenario);
  if (build.scenario.tail >= needed) return;
  build.needs_tail = needed;
  const sim::Scenario& scenario = build.scenario;
  std::string what{scenario.protocol->name};
  if (scenario.scheduler != nullptr) what += " and " + std::string(scenario.scheduler->name);
  const std::string text = print_duration(needed);
  build.diagnostics.add(
      build.tail_place,
      fmt::format("a tail of {} is too short for {} to recover", print_duration(build.scenario.tail), what),
      fmt::format("these settings need {}: tail = \"{}\" in [sim], or --set sim.tail={}", text, text, text));
}

}  // namespace tenure::format
