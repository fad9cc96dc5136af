// What faults on destinations have in common. They break no assumption of any claim: leadership, fires and the ledger
// know nothing of destinations.
//
// Thread rule: as the world.
#pragma once

#include <string_view>

#include "sim/faults/registry.h"
#include "sim/world/world.h"

namespace tenure::sim {

// No destination is called so.
inline constexpr std::string_view kAllDestinations = "all";

inline constexpr FaultParameterSpec kWhichDestination = {.name = "destination",
                                                         .type = FaultParameterSpec::Type::destination,
                                                         .default_text = kAllDestinations,
                                                         .choices = {},
                                                         .doc = "which one"};

inline void turn_destination(World& world, const FaultInjection& strike, const Destinations::Knobs& knobs) {
  const std::string_view name = strike.choice("destination");
  world.destinations().turn(strike.id, name == kAllDestinations ? std::string_view{} : name, knobs);
}
inline void turn_destination_back(World& world, const FaultInjection& strike) {
  world.destinations().turn_back(strike.id);
}

}  // namespace tenure::sim
