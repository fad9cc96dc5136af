// kill: the process is gone at once; with a duration, it is started again after that long.
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kKill = {
    .name = "kill",
    .summary = "the process dies at once; with a duration, it starts again after it",
    .acts = FaultKind::Acts::on_nodes,
    .lasts = true,
    .parameters = {},
    .breaks = [](const FaultSetting&, const Scenario&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const Strike& strike) {
          for (const NodeId node : strike.nodes) world.host(node).kill();
        },
    .end =
        [](World& world, const Strike& strike) {
          for (const NodeId node : strike.nodes) world.host(node).start_again();
        }};

}  // namespace tenure::sim
