// When each event was in the store's outbox, in the order of commits, and by which rules it is delivered: those of the
// version that fired it (docs/deliveries.md).
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/judge/history.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

// What the version that fired an event says of it.
struct Rules {
  Overlap overlap = Overlap::allow;
  Delivery delivery = {};  // without a word of any version, it is the leader's own work

  bool is_own_work() const { return delivery.kind == Delivery::Kind::work; }
  bool is_pulled() const { return delivery.kind == Delivery::Kind::pull; }
  // One event of the schedule is worked on at a time.
  bool is_single() const { return overlap != Overlap::allow || delivery.strict_order; }
  // An acknowledgement takes it that names who gets it.
  bool is_for(const reference::DeliveredEvent& had) const {
    return had.kind == delivery.kind && (is_pulled() || had.to == delivery.destination);
  }
  // Events of one schedule that keep an order among themselves.
  bool shares_queue(const Rules& other) const {
    return delivery.kind == other.delivery.kind && delivery.destination == other.delivery.destination;
  }
};

// The events that a request is to take from the outbox, delivered or given up.
std::vector<reference::EventId> taken_by(const Request& request);

// Writes down what the store commits, and by which rules. A value: a copy is what a replica has.
class Intake {
 public:
  struct Put {
    reference::EventId event;
    Rules rules;
  };
  // What the request has put into the outbox, in order. What was asked for before is not put in again.
  std::vector<Put> take(const KeptApplied& applied);
  Rules of(ScheduleId schedule, std::uint32_t version) const;

 private:
  Rules in_force(ScheduleId schedule) const;

  std::map<ScheduleId, std::map<std::uint32_t, Rules>> versions_;
  std::set<std::pair<ScheduleId, std::uint64_t>> runs_;
};

// An event that is in the outbox, from one place of the history to another. A failover that gives it back begins a new
// one, which remembers where the event was until the replica stood still.
struct Waiting {
  reference::EventId event;
  std::uint64_t position = 0;  // in the order of commits
  bool given_back = false;     // by a failover
  std::size_t from = 0;
  std::size_t to = kNoPlace;  // kNoPlace: until the end of the run
  Rules rules = {};
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

// By which rules the event was committed last before this place, on any branch; nullopt: it was not, or is the leader's
// own work.
std::optional<Rules> rules_before(const std::map<ScheduleId, std::vector<Waiting>>& all,
                                  const reference::EventId& event, std::size_t place);

// The topic of a schedule that has one, which it keeps.
std::map<ScheduleId, std::string> topics_of(const sim::Scenario& scenario);

// Where a destination was first done with an event, or a worker: the destination is empty then.
using Deliveries = std::map<std::pair<reference::EventId, std::string>, std::size_t>;
Deliveries deliveries_of(const History& history);
bool was_delivered(const Deliveries& deliveries, const reference::EventId& event,
                   const std::string& destination, std::size_t before);

// Which events are dead by what the store did. The leader names each by its number: a number that was given up before
// is not there any more, and the event, if it was put back, has another one.
class Deaths {
 public:
  std::vector<reference::EventId> by(const KeptApplied& applied);

 private:
  std::set<std::tuple<reference::EventId, std::uint32_t, std::uint64_t>> known_;  // with the branch
};

}  // namespace tenure::judging
