// What a reader remembers of each event, as long as that is in the outbox. What was done outside stays done in a
// failover: of what the lost branch has taken, and is there again, as well.
//
// Thread rule: one belongs to one reader.
#pragma once

#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/world/record.h"

namespace tenure::sim {

template <class Note>
class OutboxNotes {
 public:
  // Call it for each record that changes the outbox.
  void see(const Record& record, const RunHistory& run) {
    if (std::holds_alternative<StoreReplicaStalled>(record)) may_come_back_ = true;
    if (std::holds_alternative<StoreFailedOver>(record)) {
      may_come_back_ = false;
      forget_all_but(run.outbox());
    }
    for (const auto& [id, event] : run.came()) notes_.erase(id);
    if (may_come_back_) return;
    for (const auto& [id, event] : run.left()) notes_.erase(id);
  }
  // REQUIRES: it is in the outbox.
  Note& operator[](const reference::EventId& id) { return notes_.add(id); }
  // nullptr: nothing is remembered.
  const Note* find(const reference::EventId& id) const { return notes_.find(id); }
  Note* find(const reference::EventId& id) { return notes_.find(id); }

 private:
  void forget_all_but(const StoredEvents& here) {
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
