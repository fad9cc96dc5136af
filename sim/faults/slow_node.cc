// slow-node: the node is starved of CPU (a noisy neighbour, a throttled container): everything that it hears and does
// takes longer, but it never stands still.
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kSlowNodeParameters[] = {
    {.name = "by",
     .type = FaultParameterSpec::Type::duration,
     .required = true,
     .default_text = {},
     .choices = {},
     .doc = "each input and each effect is late by up to this much, drawn anew for each"}};

// Every step comes late, timers and messages included: that is a pause, if a short one, and no message is in time.
std::vector<Assumption> slow_node_breaks(const FaultSetting& fault, const Scenario& scenario,
                                         const Bounds& bounds) {
  std::vector<Assumption> broken = {Assumption::no_pause, Assumption::reliable_network};
  // Late as it leaves, and late as it is heard.
  if (may_outlast_a_request(scenario, bounds, longest(fault, "by") * 2))
    broken.push_back(Assumption::prompt_store);
  return broken;
}

}  // namespace

const FaultKind kSlowNode = {
    .name = "slow-node",
    .summary =
        "the node is starved of CPU: each input reaches it, and each effect leaves it, late by up to `by`",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::pause,
    .harm = {FaultCause::slow, Manner::hinders},
    .lasts = true,
    .parameters = kSlowNodeParameters,
    .breaks = slow_node_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).starve(strike.id, strike.length("by"));
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).starve(strike.id, Duration{});
        },
    .lingers = [](const FaultSetting& fault) { return longest(fault, "by") * 2; }};

}  // namespace tenure::sim
