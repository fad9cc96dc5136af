// What a strike does to each of the stores that it strikes.
//
// Thread rule: as the world.
#pragma once

#include "sim/faults/registry.h"
#include "sim/world/world.h"

namespace tenure::sim {

inline void turn_stores(World& world, const FaultInjection& strike, const StoreKnobs& knobs) {
  for (const StoreId store : strike.stores) world.store(store).turn(strike.id, knobs);
}
inline void break_stores(World& world, const FaultInjection& strike, const StoreOutage& outage) {
  for (const StoreId store : strike.stores) world.store(store).break_part(strike.id, outage);
}
// The end of both.
inline void turn_stores_back(World& world, const FaultInjection& strike) {
  for (const StoreId store : strike.stores) world.store(store).turn_back(strike.id);
}

}  // namespace tenure::sim
