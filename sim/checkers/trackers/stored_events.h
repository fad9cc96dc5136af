// The events that the store has committed, in the order of commits, by its answers: fires, manual runs, slots of
// backfills.
//
// An event is in the outbox from its commit until it is acknowledged, given up, or over by what its worker said.
// The leader's own work is pending until it begins, and no longer: what is taken from the outbox before that is lost.
//
// A leader begins what it finds in the outbox before it commits anything, and what it commits at once. So a fire that
// nobody has asked for waits behind fires that were committed before it, and behind no later one.
//
// A value that a StoreHistory takes back: what the lost branch had taken is there again. Begun work is not taken back,
// so its reader tracks that separately.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct StoredEvent {
  std::uint64_t position = 0;  // in the order of commits
  Incarnation who;             // committed it, or asked for the manual run
  TrueTime at;
  bool in_outbox = true;
  bool is_pending = false;
  bool is_known = true;   // pending: its version
  bool is_asked = false;  // likewise: somebody asked for its work
};

class StoredEvents {
 public:
  // It was committed, or asked for, at `event.position`. False if it is in the outbox already.
  bool add(const reference::EventId& id, const StoredEvent& event) {
    StoredEvent& here = events_.add(id);
    if (here.position != 0 && here.in_outbox) return false;
    if (here.is_pending) --pending_;
    here = event;
    return true;
  }
  // REQUIRES: it is in the outbox. Readers leave out fires whose work had begun before: their commits were lost and
  // made again.
  void pend(const reference::EventId& id, bool is_known) {
    StoredEvent& event = *events_.find(id);
    if (!event.is_pending) ++pending_;
    event.is_pending = true;
    event.is_known = is_known;
    event.is_asked = false;
  }
  // Somebody asked for its work. Returns whether that had begun before, of what is in the outbox.
  bool asked(const reference::EventId& id) {
    StoredEvent* const event = events_.find(id);
    if (event == nullptr) return false;
    event->is_asked = true;
    return event->in_outbox && !event->is_pending;
  }
  // Returns whether it was pending.
  bool begun(TrueTime now, const reference::EventId& id) {
    if (id.run != 0) run_begun_ = now;
    StoredEvent* const event = events_.find(id);
    if (event == nullptr || !event->is_pending) return false;
    TrueTime& newest = id.run == 0 ? newest_begun_ : newest_run_begun_;
    newest = std::max(newest, event->at);
    event->is_pending = false;
    --pending_;
    if (!event->in_outbox) events_.erase(id);
    return true;
  }
  // It leaves the outbox. Returns what it was there; nullopt: it was not.
  std::optional<StoredEvent> take(const reference::EventId& id) {
    StoredEvent* const event = events_.find(id);
    if (event == nullptr || !event->in_outbox) return std::nullopt;
    const StoredEvent was = *event;
    event->in_outbox = false;
    if (!event->is_pending) events_.erase(id);
    return was;
  }

  // ---- the outbox ----

  // nullptr: it is not in the outbox.
  const StoredEvent* find(const reference::EventId& id) const {
    const StoredEvent* event = events_.find(id);
    return event != nullptr && event->in_outbox ? event : nullptr;
  }
  // Calls see(id, event) for each, by id.
  template <class See>
  void for_each(See&& see) const {
    events_.for_each([&](const reference::EventId& id, const StoredEvent& event) {
      if (event.in_outbox) see(id, event);
    });
  }
  template <class See>
  void for_each_of(ScheduleId schedule, See&& see) const {
    events_.for_each_of(schedule, [&](const reference::EventId& id, const StoredEvent& event) {
      if (event.in_outbox) see(id, event);
    });
  }

  // ---- what is pending ----

  std::size_t pending() const { return pending_; }
  // When the last manual run or slot of a backfill began; min() for none.
  TrueTime run_begun() const { return run_begun_; }
  // Calls see(id, event, passed_over) for each, by id. `passed_over`: nobody asked for its work, and fires of later
  // commits have begun, by kApart; of a run, runs that were accepted much later.
  template <class See>
  void for_each_pending(See&& see) const {
    events_.for_each([&](const reference::EventId& id, const StoredEvent& event) {
      const TrueTime newest = id.run == 0 ? newest_begun_ : newest_run_begun_;
      if (event.is_pending) see(id, event, !event.is_asked && event.at + kApart < newest);
    });
  }

 private:
  static constexpr Duration kApart = Duration::seconds(10);

  reference::EventMap<StoredEvent> events_;  // in the outbox, or pending
  std::size_t pending_ = 0;
  TrueTime newest_begun_ = TrueTime::min();      // the commit of a fire whose work began
  TrueTime newest_run_begun_ = TrueTime::min();  // when a run was accepted whose work began
  TrueTime run_begun_ = TrueTime::min();
};

}  // namespace tenure::sim
