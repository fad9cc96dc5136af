// store-session-loss: the connections between the target and the store break. Its driver sees that at once, and answers
// all that was under way with `unknown`; the store may still execute what had arrived, or was on the wire.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kStoreSessionLoss = {
    .name = "store-session-loss",
    .summary =
        "the target's connections to the store break, and what was under way is answered `unknown` at once",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::takes_away},
    .needs_target = false,
    .needs_store = true,
    .parameters = {},
    // An acknowledgement that was to come does not.
    .breaks = break_prompt_store,
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).lose_sessions();
        },
    .end = nullptr,
    .in_vain = [](const World& world, const FaultInjection&, NodeId node) -> const char* {
      return world.process(node).awaits_store() ? nullptr : "its target awaited no answer from the store";
    }};

}  // namespace tenure::sim
