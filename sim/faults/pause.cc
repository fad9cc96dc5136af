// pause: the process stands still (a long collection, SIGSTOP, a starved container) while its clocks run on.
#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kPause = {
    .name = "pause",
    .summary = "the process stands still while its clocks run on",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::pause,
    .harm = {FaultCause::pause, Manner::stops},
    .lasts = true,
    .parameters = {},
    // As long as an effect takes to leave anyway is noise of scheduling.
    .breaks =
        [](const FaultSetting& fault, const Scenario& scenario, const Bounds&) {
          std::vector<Assumption> broken;
          const bool rng = fault.duration && fault.duration->high <= scenario.departure.max();
          if (!rng) broken.push_back(Assumption::no_pause);
          return broken;
        },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).pause(strike.id, strike.until);
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).resume(strike.id);
        },
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId node) -> const char* {
      if (!world.process(node).alive()) return "its target is not running";
      return world.process(node).paused_until() >= strike.until ? "its target already stands still" : nullptr;
    }};

}  // namespace tenure::sim
