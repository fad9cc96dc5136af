// What faults and claims ask of a scenario's settings: the worst that any instance ever runs with.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

// The least value of an election parameter that any instance ever runs with, the settings that a rolling restart brings
// included; nullopt when the protocol has no such parameter.
std::optional<std::int64_t> least_election_value(const Scenario& scenario, std::string_view parameter);

// The most that a fault's parameter of this name, a duration, can be. REQUIRES: its table has it.
Duration longest(const FaultSetting& fault, std::string_view parameter);

// Can a request that is held up by this much, and by the slowest latencies, be answered too late for somebody?
bool may_outlast_a_request(const Scenario& scenario, Duration held_up);

// The longest from a request's send to its answer's arrival, at a store that nothing disturbs, when segments can be
// lost on this many of its two ways.
Duration slowest_answer(const Scenario& scenario, int lossy_ways);

// The most that a fault's parameter `latency` can be.
Duration longest_latency(const FaultSetting& fault);

}  // namespace tenure::sim
