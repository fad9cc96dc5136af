// restart: the process dies at once, and starts again after `down`.
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kParameters[] = {{.name = "down",
                                               .type = FaultParameterSpec::Type::duration,
                                               .default_text = "1s",
                                               .choices = {},
                                               .doc = "how long the process is gone"}};
}

const FaultKind kRestart = {
    .name = "restart",
    .summary = "the process dies at once, and starts again after `down`",
    .acts = FaultKind::Acts::on_nodes,
    .parameters = kParameters,
    .breaks = [](const FaultSetting&, const Scenario&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const Strike& strike) {
          for (const NodeId node : strike.nodes) {
            world.host(node).kill();
            world.at(world.now() + strike.length("down"), [&world, node] { world.host(node).start_again(); });
          }
        },
    .end = nullptr};

}  // namespace tenure::sim
