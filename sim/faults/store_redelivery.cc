// store-redelivery: a queue promises to deliver at least once, and now it delivers once more: each message that one
// receiver hides from the others goes to another one too. Real queues do so when a server that keeps a copy missed the
// receipt.
#include <algorithm>

#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kStoreRedelivery = {
    .name = "store-redelivery",
    .summary = "the queue delivers each message that is hidden to one receiver more",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::takes_away},
    .needs_redelivery = true,
    .parameters = {},
    // It is what the queue promises.
    .breaks = [](const FaultSetting&, const Scenario&, const Bounds&) { return std::vector<Assumption>{}; },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const StoreId store : strike.stores) world.store(store).deliver_again();
        },
    .end = nullptr,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool any = std::ranges::any_of(
          strike.stores, [&world](StoreId store) { return world.store(store).can_deliver_again(); });
      return any ? nullptr : "no message was hidden";
    }};

}  // namespace tenure::sim
