// How long a tail the protocol needs, to elect and to catch up after the heal.

#include "sim/scenario/toml/tail.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/toml/build.h"
#include "sim/scenario/toml/units.h"

namespace tenure::sim {
namespace {

constexpr Duration kMargin = Duration::seconds(1);

Duration sum_of_durations(const Parameters& parameters) {
  Duration sum;
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].type == ParameterSpec::Type::duration)
      sum += Duration::nanos(parameters.value(static_cast<int>(i)));
  return sum;
}

}  // namespace

Duration needed_tail(const Scenario& scenario) {
  Duration election;
  for (const InstanceSetting& instance : scenario.instances)
    election = std::max(election, sum_of_durations(instance.election));
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) election = std::max(election, sum_of_durations(*fault.with_election));
  return election + kMargin;
}

void judge_tail(Build& build) {
  if (!build.duration_known || !build.cluster_known || !build.parameters_known) return;
  const Duration needed = needed_tail(build.scenario);
  if (build.scenario.tail >= needed) return;
  build.diagnostics.add(build.tail_place,
                        fmt::format("a tail of {} is too short for {} to elect again",
                                    print_duration(build.scenario.tail), build.scenario.protocol->name),
                        fmt::format("these settings need {}", print_duration(needed)));
}

}  // namespace tenure::sim
