// clock-step: the wall clock jumps and stays; a jump back is a fault of its own. The monotonic clock does not notice.
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kClockStepParameters[] = {
    {.name = "by",
     .type = FaultParameterSpec::Type::duration,
     .required = true,
     .default_text = {},
     .choices = {},
     .may_be_negative = true,
     .doc = "how far the wall clock jumps; negative is back"}};
}

const FaultKind kClockStep = {.name = "clock-step",
                              .summary = "the wall clock jumps by `by`, and stays there",
                              .acts = FaultKind::Acts::on_nodes,
                              .family = FaultFamily::clock,
                              .harm = {FaultCause::clock, Manner::hinders},
                              .moves_wall_clock_alone = true,
                              .parameters = kClockStepParameters,
                              .breaks =
                                  [](const FaultSetting& fault, const Scenario& scenario, const Bounds&) {
                                    return moves_a_clock(fault, scenario)
                                               ? std::vector{Assumption::wall_in_step}
                                               : std::vector<Assumption>{};
                                  },
                              .begin =
                                  [](World& world, const FaultInjection& strike) {
                                    for (const NodeId node : strike.nodes)
                                      world.process(node).step_wall(strike.length("by"));
                                  },
                              .end = nullptr};

}  // namespace tenure::sim
