// When each event was in the store's outbox, in the order of commits, and what a scenario says of its delivery.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/judge/history.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

// An event that is in the outbox, from one place of the history to another. A failover that gives it back begins a new
// one, which remembers where the event was until the replica stood still.
struct Waiting {
  reference::EventId event;
  std::uint64_t position = 0;  // in the order of commits
  Incarnation who;             // committed it, or asked for the run
  sim::TrueTime at;            // of the commit
  bool given_back = false;     // by a failover
  std::size_t from = 0;
  std::size_t to = kNoPlace;  // kNoPlace: until the end of the run
  bool taken = false;         // at `to`; otherwise, a failover lost its commit
  std::vector<std::pair<std::size_t, std::size_t>> before = {};

  bool is_here(std::size_t place) const { return from <= place && place < to; }
  // In the past that this event has, as the store knows it.
  bool was_here(std::size_t place) const {
    if (is_here(place)) return true;
    for (const auto& [begin, end] : before)
      if (begin <= place && place < end) return true;
    return false;
  }
};
// By schedule, in the order in which they came.
std::map<ScheduleId, std::vector<Waiting>> waiting_events(const History& history);

// The one that is there at this place; nullptr: it is not.
const Waiting* waiting_at(const std::map<ScheduleId, std::vector<Waiting>>& all,
                          const reference::EventId& event, std::size_t place);

// How events of a schedule are delivered, by all versions of it that the scenario has.
struct Route {
  Delivery delivery;  // of the first that is no work of the leader's own
  std::string topic = {};
  std::uint32_t least_attempts = UINT32_MAX;
  std::uint32_t most_attempts = 0;
  bool one_at_a_time = false;  // in one of them
  bool replaces = false;       // likewise
};
// Of schedules whose events are pushed or pulled; the others are not in it.
std::map<ScheduleId, Route> routes_of(const sim::Scenario& scenario);

// Where a destination, or a worker, was done with an event.
std::map<reference::EventId, std::vector<std::size_t>> deliveries_of(const History& history);

}  // namespace tenure::judging
