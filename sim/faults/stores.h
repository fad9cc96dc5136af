// What faults on stores have in common: what a strike does to each of the stores that it strikes, and that none of
// these answers in time for certain.
//
// Thread rule: as the world.
#pragma once

#include <vector>

#include "sim/faults/registry.h"
#include "sim/world/world.h"

namespace tenure::sim {

// FaultKind::breaks.
inline std::vector<Assumption> break_prompt_store(const FaultSetting&, const Scenario&, const Bounds&) {
  return {Assumption::prompt_store};
}

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
