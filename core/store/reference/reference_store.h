// The reference store: leases and schedules in one database, as a pure state machine.
//
// This is the specification. An adapter over a real database must give the same replies to the same requests
// in commit order, given the store times that it echoes.
//
// Leases: the rules are in lease.h. In short: a grant takes the next epoch and needs a current view of it; a
// request that shows a token is executed only for the unexpired holder of exactly that token, written on the
// store's branch; a clock that went back, or a promotion, makes an acquire wait for the whole promise once
// more.
//
// Schedules: which slots there are follows from a schedule's definition; the store asks it when a segment begins
// (the cursor is set to the first slot) and ends (whether any is left), and otherwise knows time alone. A version
// owns the slots of its segment [begin, end), the leader covers a segment up to its end, and the cursor says how
// far it has come. So:
//
//   1. An edit closes the segment in force at store_now and begins the next one there: no slot falls between
//      them, and none belongs to both. It cuts later than store_now if what any version of the schedule has covered
//      reaches further (the clock went back, or a fire and the edit fell in one microsecond); Edited says where.
//      Edits with the version and definition in force already are repetitions: the same answer, and no
//      change.
//   2. A row is covered iff the cursor is at `from` and `to` is no later than the segment's end. A leader
//      that did not know of the end is told `moved`, and nothing of that row is written: what was covered is
//      always exactly what was asked. Rows of one segment chain within a request: each begins where the cursor
//      was left by those before it.
//   3. A row is due when what it speaks for has come: the due time of its last slot (the slot, or later by its
//      jitter), and, for any row but a single fire, to - 1us. A single fire's `to` may lie in the future, where
//      the cursor then waits. A fire for several slots is one row: it is written as a whole, the other slots as
//      coalesced into its own.
//   4. A closed segment is forgotten when its cursor is at its end, and at once when no slot of its own is
//      left. The segment in force always stays.
//   5. A delete closes the segment, records the rest of every segment as deleted, and leaves a tombstone for
//      ever.
//   6. Each fired row puts one event into the outbox, and so does each manual run, once for each (schedule,
//      run); a backfill is a manual run of several slots.
//   7. While a hold is set nothing is covered; setting one again replaces it. Edits, manual runs and reads go
//      on.
//   8. Prune forgets the ledger rows that lie wholly before its time, the changes whose segments were drained
//      and ended by then (but never the newest change), manual runs before it (whose numbers then mean
//      nothing any more), and events that were dead by then; those that ended first go first, up to its limit. It
//      counts them all. Events that wait for delivery, and tombstones, stay.
//
//   9. A version that begins in the store's future was edited while the clock was ahead of what it is now. The next
//      edit's version takes its place. And when a hold is cleared, each such version is drawn back: it begins at
//      store_now, or later by rule 1, and no version before it ends later than that.
//  10. An event whose work was given up leaves the outbox and is dead, if it was in it. A redrive puts it back, under
//      the next number. A give-up that is asked for again, because its answer was lost, does the same again: an event
//      that was redriven in between is dead once more, since the store cannot tell it from one that failed again.
//
// What a caller must get right by itself is CHECKed: a well-formed row, a duration, a holder, a run that is
// not 0.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/store/reference/partition.h"
#include "core/store/store_machine.h"

namespace tenure::reference {

class ReferenceStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request& request) const override;
  void promote(std::uint32_t branch) override;
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

  // What is stored, for tests and for adapters to compare with. A resource never heard of has an empty one.
  Lease lease(ResourceId resource) const;
  Ledger ledger(ResourceId resource) const;

 private:
  std::uint32_t branch_ = 1;
  std::map<ResourceId, Partition> partitions_;
};

}  // namespace tenure::reference
