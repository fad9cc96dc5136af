// clock-rate: both of a node's clocks run fast or slow (a bad oscillator, a slewing time daemon).
#include <algorithm>
#include <cstdlib>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kParameters[] = {
    {.name = "rate_ppm",
     .type = FaultParameterSpec::Type::ppm,
     .required = true,
     .default_text = {},
     .choices = {},
     .may_be_negative = true,
     .doc = "how much faster the clocks run, on top of their own error"}};

std::int64_t extra_ppm(const FaultSetting& fault) {
  for (const FaultParameter& parameter : fault.parameters)
    if (const auto* rate = std::get_if<Range<std::int64_t>>(&parameter.value))
      return std::max(std::abs(rate->low), std::abs(rate->high));
  return 0;
}

// The largest rate error that a node of the scenario can have. Faults that overlap add up, and a drawn one may; that
// each strikes a node once at a time is as much as can be said before the run.
std::int64_t worst_ppm(const Scenario& scenario) {
  std::int64_t extra = 0;
  for (const FaultSetting& fault : scenario.faults)
    if (fault.action == kClockRate.name) extra += extra_ppm(fault);
  std::int64_t own = 0;
  for (const InstanceSetting& instance : scenario.instances)
    own = std::max({own, std::abs(instance.clock.rate_ppm.low), std::abs(instance.clock.rate_ppm.high)});
  return own + extra;
}

std::vector<Assumption> breaks(const FaultSetting&, const Scenario& scenario) {
  // The wall clock drifts away with the rate, so it does not stay in step either.
  std::vector<Assumption> broken = {Assumption::rates_equal, Assumption::wall_in_step};
  const auto bound = least_election_value(scenario, "max_clock_drift_ppm");
  if (!bound || worst_ppm(scenario) > *bound) broken.push_back(Assumption::rate_bound);
  return broken;
}

}  // namespace

const FaultKind kClockRate = {.name = "clock-rate",
                              .summary = "both clocks of the node run at another rate",
                              .acts = FaultKind::Acts::on_nodes,
                              .lasts = true,
                              .parameters = kParameters,
                              .breaks = breaks,
                              .begin =
                                  [](World& world, const Strike& strike) {
                                    for (const NodeId node : strike.nodes)
                                      world.host(node).disturb_rate(strike.id, strike.number("rate_ppm"));
                                  },
                              .end =
                                  [](World& world, const Strike& strike) {
                                    for (const NodeId node : strike.nodes)
                                      world.host(node).disturb_rate(strike.id, 0);
                                  }};

}  // namespace tenure::sim
