// The outbox: committed fires that are the leader's own work and not yet acknowledged; and dead events of all kinds,
// whose work was given up. Events that others deliver are in waiting.h, under numbers from here.
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
#include <string>

#include "core/base/hash.h"
#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

// CHECKs the caller's part: the work was tried.
void check_well_formed(const DeadEvent& dead);

class OutboxQueue {
 public:
  // A dead event of those that others deliver.
  struct DeadWaiting {
    std::string name;
    DeliveryRules rules;
  };
  struct DeadEntry {
    DeadEvent event;
    std::uint32_t version = 0;
    std::optional<DeadWaiting> waiting = {};  // none: of the outbox
    std::optional<Discard> discard = {};
  };

  // The next number, for an event that is kept elsewhere.
  std::uint64_t next_number() { return ++last_; }
  // Appends an event of that version under the next number. False: it is pending already, and stays as it is.
  bool add(const EventId& id, std::uint32_t version, StoreTime now);
  // Removes an event; does nothing when it is not pending.
  void acknowledge(const EventId& id) { take(id); }
  // Removes an event, and keeps it as a dead one. False: it is not pending.
  bool give_up(const DeadEvent& dead, StoreTime now);
  // Keeps an event of elsewhere as a dead one. Its `seq` and `since` are given.
  void bury(DeadEntry dead);
  // Takes a dead event out; nullopt: it was not dead.
  std::optional<DeadEntry> exhume(const EventId& id);
  // Marks a dead event. False: it is not dead, or is marked.
  bool discard(const EventId& id, const Discard& discard);
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
  // Whether an event of the schedule is pending.
  bool knows(ScheduleId schedule) const { return seq_of_.knows(schedule); }
  Depth depth() const;
  Depth depth_of_dead() const;  // without those that were discarded
  void hash(Hasher& hasher) const;

 private:
  struct Entry {
    OutboxEvent event;
    std::uint32_t version = 0;
    StoreTime at;
    bool pending = true;
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
