// What the outbox holds, in the order of commits, by the store's answers: fires, manual runs, slots of backfills.
//
// An event is here from its commit until it is acknowledged, given up, or over by what its worker said. A failover
// takes the outbox back to what the replica had; what the lost branch had taken from it, is there again.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/kernel/true_time.h"
#include "sim/world/record.h"

namespace tenure::sim {

class OutboxTracker {
 public:
  struct Event {
    std::uint64_t position = 0;  // in the order of commits
    Incarnation who;             // committed it, or asked for the run
    TrueTime at;
  };
  using Events = reference::EventMap<Event>;

  // `rules`: has seen the record.
  void see(TrueTime now, const Record& record, const EventRules& rules);

  const Events& events() const { return *known_; }
  const Event* find(const reference::EventId& id) const { return events().find(id); }
  // What came and went with the last record.
  using Change = std::pair<reference::EventId, Event>;
  const std::vector<Change>& came() const { return came_; }
  const std::vector<Change>& left() const { return left_; }

 private:
  void take(const reference::EventId& id);

  StoreHistory<Events> known_;
  std::uint64_t position_ = 0;
  std::vector<Change> came_;
  std::vector<Change> left_;
};

// What a reader remembers of each event, as long as that is in the outbox. What was done outside stays done in a
// failover: of what the lost branch has taken, and is there again, as well.
template <class Note>
class OutboxNotes {
 public:
  // Call it for each record that the outbox has seen.
  void see(const Record& record, const OutboxTracker& outbox) {
    if (std::holds_alternative<StoreReplicaStalled>(record)) may_come_back_ = true;
    if (std::holds_alternative<StoreFailedOver>(record)) {
      may_come_back_ = false;
      forget_all_but(outbox.events());
    }
    for (const auto& [id, event] : outbox.came()) notes_.erase(id);
    if (may_come_back_) return;
    for (const auto& [id, event] : outbox.left()) notes_.erase(id);
  }
  // REQUIRES: it is in the outbox.
  Note& operator[](const reference::EventId& id) { return notes_.add(id); }
  // nullptr: nothing is remembered.
  const Note* find(const reference::EventId& id) const { return notes_.find(id); }
  Note* find(const reference::EventId& id) { return notes_.find(id); }

 private:
  void forget_all_but(const OutboxTracker::Events& here) {
    std::vector<reference::EventId> gone;
    notes_.for_each([&](const reference::EventId& id, const Note&) {
      if (here.find(id) == nullptr) gone.push_back(id);
    });
    for (const reference::EventId& id : gone) notes_.erase(id);
  }

  reference::EventMap<Note> notes_;
  bool may_come_back_ = false;
};

}  // namespace tenure::sim
