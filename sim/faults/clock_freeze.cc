// clock-freeze: both of a node's clocks stand still while its process runs on (a broken clock source). Afterwards they
// run on from where they stood: what they lost stays lost, as every offset does.
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kClockFreeze = {
    .name = "clock-freeze",
    .summary = "both clocks of the node stand still while its process runs on",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::clock,
    .harm = {FaultCause::clock, Manner::hinders},
    .lasts = true,
    .parameters = {},
    // A rate of nothing at all is beyond any bound. The process does not stand still: no_mono_freeze is not about this.
    .breaks =
        [](const FaultSetting&, const Scenario&, const Bounds&) {
          return std::vector{Assumption::rate_bound, Assumption::rates_equal, Assumption::wall_in_step};
        },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes)
            world.process(node).disturb_rate(strike.id, RateClock::kStill);
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).disturb_rate(strike.id, 0);
        },
    .in_vain = [](const World& world, const FaultInjection&, NodeId node) -> const char* {
      return world.process(node).clock().stands_still() ? "its target's clocks stand still already" : nullptr;
    }};

}  // namespace tenure::sim
