#include "sim/faults/settings.h"

#include <algorithm>

#include "sim/models/links.h"

namespace tenure::sim {

std::optional<std::int64_t> least_election_value(const Scenario& scenario, std::string_view parameter) {
  std::optional<std::int64_t> least;
  const auto take = [&](const Parameters& election) {
    const int index = election.find(parameter);
    if (index >= 0) least = std::min(least.value_or(INT64_MAX), election.value(index));
  };
  for (const InstanceSetting& instance : scenario.instances) take(instance.election);
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) take(*fault.with_election);
  return least;
}

Duration longest_latency(const FaultSetting& fault) {
  for (const FaultParameter& parameter : fault.parameters)
    if (parameter.name == "latency") return std::get<Range<Duration>>(parameter.value).high;
  return {};
}

Duration slowest_answer(const Scenario& scenario, int lossy_ways) {
  return scenario.store.latency.max() + scenario.network.latency.max() * 2 +
         Links::latest_resend() * lossy_ways;
}

}  // namespace tenure::sim
