// Events that the outbox has shown to the leader. Their work has not begun, because all workers are busy.
//
// So a page of the outbox is as large as the store gives it, however few workers are free. All events of slots are
// kept, because what the leader commits next must not overtake them. Of manual runs, only enough are kept that reading
// on can wait: the outbox still has the others.
//
// Invariant: an event is here once, under its number in the outbox.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/base/hash.h"
#include "core/store/reference/requests.h"

namespace tenure {

class Backlog {
 public:
  // Manual runs beyond this many are left in the outbox.
  static constexpr std::size_t kRunsMax = 1000;

  // False when the event was left out: it is a manual run, and full().
  bool add(const reference::OutboxEvent& event);
  // Takes the oldest event of a slot; nullopt when there is none. Likewise for manual runs.
  std::optional<reference::EventId> take_slot() { return take_first(slots_); }
  std::optional<reference::EventId> take_run() { return take_first(runs_); }

  bool has_slots() const { return !slots_.empty(); }
  bool has_runs() const { return !runs_.empty(); }
  bool full() const { return runs_.size() >= kRunsMax; }
  // Too many manual runs wait here for it to be worth looking for more.
  bool crowded() const { return runs_.size() > kRunsMax / 2; }
  void clear();
  void hash(Hasher& hasher) const;

 private:
  using Events = std::map<std::uint64_t, reference::EventId>;  // by number: the order of commits
  static std::optional<reference::EventId> take_first(Events& events);

  Events slots_;
  Events runs_;
};

}  // namespace tenure
