// Shared by the faults of the network: which links they act on.
//
// Thread rule: pure functions and constants.
#pragma once

#include <string_view>

#include "sim/faults/registry.h"
#include "sim/models/links.h"

namespace tenure::sim {

// Relative to the target: messages to it, messages from it, or both.
inline constexpr std::string_view kDirections[] = {"both", "to", "from"};
inline constexpr std::string_view kPeers[] = {"all", "store", "instances"};

inline constexpr FaultParameterSpec kDirectionParameter = {.name = "direction",
                                                           .type = FaultParameterSpec::Type::choice,
                                                           .default_text = "both",
                                                           .choices = kDirections,
                                                           .doc = "relative to the target: to, from, both"};
inline constexpr FaultParameterSpec kPeersParameter = {.name = "peers",
                                                       .type = FaultParameterSpec::Type::choice,
                                                       .default_text = "all",
                                                       .choices = kPeers,
                                                       .doc = "the other end: store, instances, all"};

// Adds `rule` on the strike's links, in its direction(s). from, to and fault are filled in here.
void add_link_rules(World& world, const FaultInjection& strike, const LinkRule& rule);
void remove_link_rules(World& world, const FaultInjection& strike);

// What a disturbance of these links breaks.
std::vector<Assumption> link_breaks(const FaultSetting& fault, const Scenario& scenario,
                                    const Bounds& bounds);

}  // namespace tenure::sim
