// store-down: the store refuses connections, and loses what it was executing; its data stay, but for unlogged tables.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kStoreDown = {.name = "store-down",
                              .summary = "the store refuses connections, and loses what it was executing",
                              .acts = FaultKind::Acts::on_store,
                              .family = FaultFamily::store,
                              .harm = {FaultCause::store, Manner::cuts},
                              .lasts = true,
                              .needs_traffic = true,
                              .parameters = {},
                              .breaks = break_prompt_store,
                              .begin =
                                  [](World& world, const FaultInjection& strike) {
                                    StoreKnobs knobs;
                                    knobs.down = true;
                                    turn_stores(world, strike, knobs);
                                  },
                              .end = turn_stores_back};

}  // namespace tenure::sim
