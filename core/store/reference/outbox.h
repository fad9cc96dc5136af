// The outbox: committed fires whose delivery is not yet acknowledged, and dead events, whose work was given up.
//
// Events are kept in commit order and found by their identity. An acknowledged event leaves a hole. Holes are swept
// once they outnumber the pending events. So every operation costs little, however long the oldest event waits.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "core/base/hash.h"
#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

// CHECKs the caller's part: the work was tried.
void check_well_formed(const DeadEvent& dead);

class OutboxQueue {
 public:
  // Appends an event of that version under the next number. An event that is pending already stays as it is.
  void add(const EventId& id, std::uint32_t version);
  // Removes an event; does nothing when it is not pending.
  void acknowledge(const EventId& id) { take(id); }
  // Removes an event, and keeps it as a dead one.
  void give_up(const EventId& id, std::uint32_t attempts, StoreTime now);
  // Appends a dead event under the next number; it is no longer dead. False: it was not dead.
  bool redrive(const EventId& id);
  // Forgets dead events as Prune says; returns how many.
  std::uint64_t prune_dead(StoreTime before, std::uint64_t limit);
  // Fills in the page that was asked for.
  void read(const ReadOutbox& asked, Outbox& outbox) const;
  void read(const ReadDead& asked, Dead& dead) const;

  // The version of an event that is pending or dead; nullopt when it is neither.
  std::optional<std::uint32_t> version_of(const EventId& id) const;
  // Whether an event of one of these versions is pending or dead.
  bool needs(ScheduleId schedule, std::uint32_t first, std::uint32_t last) const;

  std::size_t size() const { return seq_of_.size(); }
  void hash(Hasher& hasher) const;

 private:
  struct Entry {
    OutboxEvent event;
    std::uint32_t version = 0;
    bool pending = true;
  };
  struct DeadEntry {
    DeadEvent event;
    std::uint32_t version = 0;
  };
  // Removes an event that is pending; returns its number and its version.
  struct Taken {
    std::uint64_t seq = 0;
    std::uint32_t version = 0;
  };
  std::optional<Taken> take(const EventId& id);
  void sweep();

  std::deque<Entry> entries_;  // by seq
  std::map<std::uint64_t, DeadEntry> dead_;
  EventMap<std::uint64_t> seq_of_;
  std::uint64_t last_ = 0;
};

}  // namespace tenure::reference
