// vm-pause: the virtual machine is suspended (a migration, a snapshot): the process stands still, and so does its
// monotonic clock, which does not know of it. When the machine runs again its wall clock is set right at once, as the
// host's tools do: it jumps forward by what was lost.
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kVmPause = {
    .name = "vm-pause",
    .summary =
        "the virtual machine is suspended: the process and its monotonic clock stand still, its wall clock "
        "jumps to what is right afterwards",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::pause,
    .harm = {FaultCause::pause, Manner::stops},
    .lasts = true,
    .parameters = {},
    // Whoever reads the wall clock, before or after, finds it in step. A clock that stops now and then does not run at
    // the rate of the others.
    .breaks =
        [](const FaultSetting&, const Scenario&, const Bounds&) {
          return std::vector{Assumption::no_pause, Assumption::no_mono_freeze, Assumption::rates_equal};
        },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).suspend(strike.id, strike.until);
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).wake(strike.id);
        },
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId node) -> const char* {
      if (!world.process(node).alive()) return "its target is not running";
      return world.process(node).suspended_until() >= strike.until ? "its target is suspended already"
                                                                   : nullptr;
    }};

}  // namespace tenure::sim
