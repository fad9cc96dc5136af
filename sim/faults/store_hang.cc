// store-hang: the store takes requests and stands still; afterwards it executes them.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {

const FaultKind kStoreHang = {
    .name = "store-hang",
    .summary = "the store accepts requests but stands still, and then executes them all",
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
          knobs.hang = true;
          turn_stores(world, strike, knobs);
        },
    .end = turn_stores_back};

}  // namespace tenure::sim
