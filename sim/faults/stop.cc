// stop: the process is asked to finish, and is killed if it has not by `grace`; with a duration, it is started again.
#include "sim/faults/faults.h"
#include "sim/faults/processes.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStopParameters[] = {
    {.name = "grace",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "10s",
     .choices = {},
     .doc = "how long it may take to finish before it is killed"}};
}

const FaultKind kStop = {
    .name = "stop",
    .summary =
        "the process is asked to stop, and killed after `grace`; with a duration, it starts again after it",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops},
    .lasts = true,
    .parameters = kStopParameters,
    .breaks = [](const FaultSetting&, const Scenario&,
                 const Bounds&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes)
            world.process(node).stop(strike.id, strike.until, strike.length("grace"), nullptr);
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).release(strike.id);
        },
    .in_vain = [](const World& world, const FaultInjection& strike,
                  NodeId node) { return down_anyway(world, node, strike.until); }};

}  // namespace tenure::sim
