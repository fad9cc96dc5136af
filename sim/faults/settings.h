// What faults and claims ask of a scenario's settings: the worst that any instance ever runs with.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/env.h"
#include "sim/faults/registry.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// The least value of an election parameter that any instance ever runs with, the settings that a rolling restart brings
// included; nullopt when the protocol has no such parameter.
std::optional<std::int64_t> least_election_value(const Scenario& scenario, std::string_view parameter);

// The most that a fault's parameter of this name, a duration, can be. REQUIRES: its table has it.
Duration longest(const FaultSetting& fault, std::string_view parameter);

// Does a fault with these settings do anything? It does not if what it adds, or how often, or its duration, is zero.
bool has_magnitude(const FaultSetting& fault);

// The resolution of a store's times. A clock moved by less counts as not moved: no lease and no slot is that fine.
constexpr Duration kLeastMove = Duration::micros(1);

// Does this fault, which steps a clock by its parameter `by`, move it? Steps that are too small add up.
bool moves_a_clock(const FaultSetting& fault, const Scenario& scenario);

// Of all electors, or of all schedulers.
Bounds bounds_of(const Scenario& scenario, Part part);

// Can a request that is held up by this much, and by the slowest latencies, be answered too late for a part with these
// bounds?
bool may_outlast_a_request(const Scenario& scenario, const Bounds& bounds, Duration held_up);

// The longest that the other requests of a part, which leave its node and are executed first, hold one up.
Duration held_up_by_others(const Scenario& scenario, const Bounds& bounds);

// Is a part with these bounds no longer answered well within its timeout when each answer is held up by this much? Well
// within is a tenth: margins for belief, which are shorter than timeouts, are not eaten up by that.
bool may_be_noticed(const Bounds& bounds, Duration held_up);

// The longest from the step that asks until the answer has arrived, at a store that nothing disturbs, when segments can
// be lost on this many of the two ways.
Duration slowest_answer(const Scenario& scenario, int lossy_ways);

// The most that a fault's parameter `latency` can be.
Duration longest_latency(const FaultSetting& fault);

}  // namespace tenure::sim
