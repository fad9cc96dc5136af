#include "sim/faults/settings.h"

#include <algorithm>

#include "core/base/check.h"
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

Duration longest(const FaultSetting& fault, std::string_view parameter) {
  const auto found = std::find_if(fault.parameters.begin(), fault.parameters.end(),
                                  [&](const FaultParameter& p) { return p.name == parameter; });
  CHECK(found != fault.parameters.end(), "a fault has every parameter of its table");
  return std::get<Range<Duration>>(found->value).high;
}

bool may_outlast_a_request(const Scenario& scenario, Duration held_up) {
  const auto timeout = least_election_value(scenario, "request_timeout");
  const int lossy_ways = scenario.network.loss_ppm > 0 ? 2 : 0;
  return timeout && slowest_answer(scenario, lossy_ways) + held_up >= Duration::nanos(*timeout);
}

Duration longest_latency(const FaultSetting& fault) { return longest(fault, "latency"); }

Duration slowest_answer(const Scenario& scenario, int lossy_ways) {
  return scenario.store.latency.max() + scenario.network.latency.max() * 2 +
         Links::latest_resend() * lossy_ways;
}

}  // namespace tenure::sim
