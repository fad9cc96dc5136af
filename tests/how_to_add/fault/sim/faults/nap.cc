// nap: the process stands still for a second. An example of an addition (docs/how-to-add.md).
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kNap = {.name = "nap",
                        .summary = "the process stands still for a second",
                        .acts = FaultKind::Acts::on_nodes,
                        .family = FaultFamily::pause,
                        .harm = {FaultCause::pause, Manner::stops},
                        .lasts = false,
                        .parameters = {},
                        .breaks = [](const FaultSetting&, const Scenario&,
                                     const Bounds&) { return std::vector{Assumption::no_pause}; },
                        .begin =
                            [](World& world, const FaultInjection& strike) {
                              for (const NodeId node : strike.nodes) {
                                const TrueTime until = world.now() + Duration::seconds(1);
                                world.process(node).pause(strike.id, until);
                                world.at(until,
                                         [&world, node, id = strike.id] { world.process(node).resume(id); });
                              }
                            },
                        .end = nullptr,
                        .lingers = [](const FaultSetting&) { return Duration::seconds(1); }};

}  // namespace tenure::sim
