// What faults and claims need from a scenario's settings: the worst that any instance ever runs with.
//
// Thread rule: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/base/check.h"
#include "core/model/env.h"
#include "sim/faults/registry.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

bool uses_store(const Scenario& scenario);
// Whether the store has a replica to fail over to, which lacks commits. An engine with sessions cannot be copied, and
// has none; a store with sessions acknowledges what a majority of its servers has.
bool has_replica(const Scenario& scenario);
// Whether a step of the store's clock can mean anything. REQUIRES: uses_store(scenario).
bool reads_wall_clock(const Scenario& scenario);
// Whether the store may deliver what it has delivered once more. REQUIRES: uses_store(scenario).
bool delivers_again(const Scenario& scenario);
// Whether the store is several servers that can be parted. REQUIRES: uses_store(scenario).
bool can_part(const Scenario& scenario);

// The least value of an election parameter that any instance ever runs with, the settings that a rolling restart brings
// included; nullopt when the protocol has no such parameter.
std::optional<std::int64_t> least_election_value(const Scenario& scenario, std::string_view parameter);

// The value of a fault's parameter. REQUIRES: its table has it.
template <class Value>
const Value& value_of(const FaultSetting& fault, std::string_view parameter) {
  const auto found = std::ranges::find(fault.parameters, parameter, &FaultParameter::name);
  CHECK(found != fault.parameters.end(), "a fault has every parameter of its table");
  return std::get<Value>(found->value);
}
// The most that a fault's parameter of this name, a duration, can be. REQUIRES: its table has it.
Duration longest(const FaultSetting& fault, std::string_view parameter);

// Whether a fault with these settings does anything. It does not if its amount, its share or its duration is zero.
bool has_magnitude(const FaultSetting& fault);

// From when on it may be at work, and until when at the latest: a timed one, from its time to its end; any other,
// always.
Range<Duration> may_be_at_work(const FaultSetting& fault);

// The bounds of all electors, or of all schedulers.
Bounds bounds_of(const Scenario& scenario, Part part);

// Whether a request that is delayed by this much, and by the slowest latencies, can be answered too late for a part
// with these bounds.
bool may_outlast_a_request(const Scenario& scenario, const Bounds& bounds, Duration held_up);

// Whether a delay of each answer by this much is noticeable for a part with these bounds: more than a tenth of its
// timeout. A tenth does not use up the margins of belief, which are shorter than timeouts.
bool may_be_noticed(const Bounds& bounds, Duration held_up);

// The same as of latencies.h for a part with these bounds, if segments can be lost on this many of the two ways.
Duration worst_response_time(const Scenario& scenario, const Bounds& bounds, int lossy_ways);

// The most that a fault's parameter `latency` can be.
Duration longest_latency(const FaultSetting& fault);

}  // namespace tenure::sim
