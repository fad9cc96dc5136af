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
// Schedules: slots follow from a schedule's definition. The store asks the definition twice: when a segment begins (to
// set the cursor to the first slot) and when it ends (whether a slot is left). Otherwise the store knows only times. A
// version owns the slots of its segment [begin, end). The leader covers a segment up to its end, and the cursor says
// how far it has come. So:
//
//   1. An edit closes the segment in force at store_now and begins the next one there: no slot falls between them, and
//      none belongs to both. The cut is later than store_now if any version of the schedule has covered more (the clock
//      went back, or a fire and the edit fell in one microsecond); Edited says where. An edit with the version and
//      definition (and, by name, the payload) that are already in force is a repetition, and so is a delete of the
//      version that was deleted: it gets the same answer and changes nothing.
//   2. A row is covered iff the cursor is at `from` and `to` is no later than the segment's end. A leader that did not
//      know of the end is told `moved`, and nothing of that row is written: the store covers exactly what was asked, or
//      nothing. Within a request, rows of one segment chain: each begins where the row before it left the cursor.
//   3. A row is due when the due time of its last slot has come (the slot, or later by its jitter) and, except for a
//      single fire, when to - 1us has come. A single fire's `to` may lie in the future; the cursor then waits there. A
//      fire for several slots is one row, and is written as a whole: the other slots are coalesced into its own. A
//      missed row of no slot that ends at max() says that none is left of the segment in force. It covers nothing, is
//      due when its `from` is, and is in neither ledger nor history.
//   4. A closed segment is forgotten when its cursor is at its end, or at once if it has no slot left. The segment in
//      force always stays.
//   5. A delete closes the segment, records the rest of every segment as deleted, and leaves a tombstone for
//      ever.
//   6. Each fired row puts one event into the outbox, and so does each manual run, once for each (schedule,
//      run); a backfill is a manual run of several slots. Events that others deliver wait apart (rule 12).
//   7. While a hold is set nothing is covered. Setting a hold again replaces it. Edits, manual runs and reads continue.
//   8. Prune forgets ledger rows that lie wholly before its time, changes whose segments were drained and ended by then
//      (but never the newest change), manual runs before it (their numbers then mean nothing), and events that were
//      dead by then. The earliest end goes first, up to its limit; the limit counts all kinds together. Events that
//      wait for delivery, and tombstones, stay. A payload is forgotten like a change, once it was replaced or its
//      schedule deleted by then, and no segment and no event, pending, waiting or dead, is of a version that has it.
//      What became of executions, and registered instances, go like dead events. Of the history the first rows go, as
//      long as they are that old, or more than keep_history are left. A schedule is deleted, by the actor `retention`,
//      if its version in force has no slot left since then or longer, no earlier one has, and none of its events waits.
//
//   9. If a version begins in the store's future, it was edited while the clock was ahead. The next edit's version
//      takes its place. When a hold is cleared, each such version is drawn back: it begins at store_now, or later by
//      rule 1, and no version before it ends later than that.
//  10. A give-up takes an event out of the outbox, if it is there under the number that is named, and the event is
//      dead. (0 names none: whatever is there.) A redrive puts it back, under the next number, and no attempt so far
//      counts; if it is there already, nothing is added. So a give-up that is repeated because its answer was lost
//      leaves an event alone that was redriven in between. A dead event that is discarded stays dead, with who did it;
//      it is counted no more, and is listed apart.
//
//  11. A put by name that creates takes the number after the largest that the resource has ever had. A put, a pause and
//      a delete by name are edits of the schedule that has the name (rule 1). A put takes over whether it is paused.
//      An event is of the version that fired it, or, for a manual run, of the one that was in force.
//
//  12. Where a version's events are pulled or pushed, they wait until they are acknowledged or completed. A claim hands
//      them out, one attempt at a time each, and waiting.h has the rules. The store itself judges overlap when it
//      covers a fired row of such a version, by how many of the schedule's events wait: with `skip` the row is written
//      as overlapped if one does, with `queue_one` if two do; with `replace` it fires, and those before it give way.
//      Events of the outbox do not count.
//  13. Each row of the ledger, manual event and replaced event is a row of the history, in commit order, without a gap.
//  14. A registration gives the next number, from kFirstRegistered on; asked again with its key, the same.
//
// The caller's part is CHECKed: a well-formed row, a duration, a holder, a run that is not 0, a name and a payload
// without a problem (named.h).
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
  ReferenceStore() = default;
  // One that keeps the history, as real stores do. It grows with each fire until it is pruned.
  static ReferenceStore with_history() {
    ReferenceStore store;
    store.keeps_history_ = true;
    return store;
  }

  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request& request) const override;
  void promote(std::uint32_t branch) override;
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

  // What is stored, for tests and for adapters to compare with. An unknown resource has an empty lease.
  Lease lease(ResourceId resource) const;
  Ledger ledger(ResourceId resource) const;

 private:
  bool keeps_history_ = false;
  std::uint32_t branch_ = 1;
  std::map<ResourceId, Partition> partitions_;
};

}  // namespace tenure::reference
