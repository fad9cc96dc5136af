// kill: the process is gone at once; with a duration, it is started again after that long.
#include "sim/faults/faults.h"
#include "sim/faults/processes.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kKill = {.name = "kill",
                         .summary = "the process dies at once; with a duration, it starts again after it",
                         .acts = FaultKind::Acts::on_nodes,
                         .family = FaultFamily::process,
                         .harm = {FaultCause::crash, Manner::stops},
                         .lasts = true,
                         .parameters = {},
                         .breaks = [](const FaultSetting&, const Scenario&,
                                      const Bounds&) { return std::vector{Assumption::no_crash}; },
                         .begin =
                             [](World& world, const FaultInjection& strike) {
                               for (const NodeId node : strike.nodes)
                                 world.process(node).kill(strike.id, strike.until);
                             },
                         .end =
                             [](World& world, const FaultInjection& strike) {
                               for (const NodeId node : strike.nodes) world.process(node).release(strike.id);
                             },
                         .in_vain = [](const World& world, const FaultInjection& strike,
                                       NodeId node) { return down_anyway(world, node, strike.until); }};

}  // namespace tenure::sim
