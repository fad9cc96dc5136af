// restart: the process dies at once, and starts again after `down`.
#include <algorithm>

#include "sim/faults/faults.h"
#include "sim/faults/processes.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kRestartParameters[] = {{.name = "down",
                                                      .type = FaultParameterSpec::Type::duration,
                                                      .default_text = "1s",
                                                      .choices = {},
                                                      .doc = "how long the process is gone"}};

// The heal would start it again as well.
TrueTime end_of(const World& world, const FaultInjection& strike) {
  return std::min(world.now() + strike.length("down"), TrueTime{} + world.scenario().duration);
}

}  // namespace

const FaultKind kRestart = {
    .name = "restart",
    .summary = "the process dies at once, and starts again after `down`",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::process,
    .harm = {FaultCause::crash, Manner::stops},
    .parameters = kRestartParameters,
    .breaks = [](const FaultSetting&, const Scenario&,
                 const Bounds&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) {
            world.process(node).kill(strike.id, end_of(world, strike));
            world.at(world.now() + strike.length("down"),
                     [&world, node, id = strike.id] { world.process(node).release(id); });
          }
        },
    .end = nullptr,
    .in_vain = [](const World& world, const FaultInjection& strike,
                  NodeId node) { return down_anyway(world, node, end_of(world, strike)); },
    .takes = [](const FaultInjection& strike) { return strike.length("down"); }};

}  // namespace tenure::sim
