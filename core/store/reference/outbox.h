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

#include "core/store/reference/event_map.h"
#include "core/store/reference/tables.h"

namespace tenure::reference {

// CHECKs the caller's part: the work was tried.
void check_well_formed(const DeadEvent& dead);

class OutboxQueue final : public OutboxRows {
 public:
  std::uint64_t last() const override { return last_; }
  void take_number() override { ++last_; }
  bool add(const EventId& id, std::uint32_t version, StoreTime now) override;
  void acknowledge(const EventId& id) override { take(id); }
  bool give_up(const DeadEvent& dead, StoreTime now) override;
  void keep_dead(DeadEntry dead) override;
  std::optional<DeadEntry> take_dead(const EventId& id) override;
  bool discard(const EventId& id, const Discard& discard) override;
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
