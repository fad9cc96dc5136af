// The reference store's requests and replies: leases and schedules in one database.
//
// The reference store is the specification that SQLite and Postgres must agree with, given the store times they
// echo, in commit order. reference_store.h says what each request does.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/compiled_once.h"
#include "core/base/ids.h"
#include "core/base/one_of.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/executions.h"
#include "core/store/reference/named.h"

namespace tenure::reference {

// ---- leases ----------------------------------------------------------------------------------------------

// Asks for the lease when it is free or expired, and the caller's view (epoch_seen; 0 for a lease never seen) is
// current. The unexpired holder itself is granted an extension under its old token, if its view is current too.
struct Acquire {
  ResourceId resource;
  Incarnation holder;
  std::uint64_t epoch_seen = 0;
  std::uint64_t nonce = 0;  // fresh for each attempt; becomes the token's
  Duration duration;        // positive, in whole microseconds
};

// Extends an unexpired lease. Never shortens it.
struct Renew {
  ResourceId resource;
  Incarnation holder;
  Token token;
  Duration duration;
};

// Frees the lease and keeps its epoch.
struct Release {
  ResourceId resource;
  Incarnation holder;
  Token token;
};

// Why an acquire, or a request that shows a token, is refused. Only the two that say so change the lease.
enum class Denial : std::uint8_t {
  no_lease,       // nobody holds it
  other_holder,   // another incarnation holds it
  stale_token,    // same holder, but branch, epoch or nonce differ
  expired,        // it was this holder's, but its time is over
  clock_stepped,  // acquire only: the store's clock went back, so the lease was rebased
  other_branch,   // acquire only: a lease of another branch was adopted and extended
  stale_view,     // acquire only: epoch_seen is not the lease's epoch
};

struct Granted {
  Token token;
  Duration duration;  // what the store wrote: belief is computed from this, never from the duration asked for
};
struct Refused {
  Denial why = Denial::no_lease;
  Incarnation holder;       // number 0: nobody
  std::uint64_t epoch = 0;  // what the next acquire must have seen
  Duration remaining;       // until it expires; never more than the duration granted, never negative
};
struct Released {};

// ---- schedules: what clients do --------------------------------------------------------------------------

// By name: named.h. By number:

// Edits are idempotent by (schedule, version): `expected_version` is the version the client last saw, 0 to create.
struct PutSchedule {
  ResourceId resource;
  ScheduleId schedule;
  std::uint32_t expected_version = 0;
  Definition definition;
};
// Leaves a tombstone: the id is never used again. Slots still due are recorded as suppressed(deleted).
struct DeleteSchedule {
  ResourceId resource;
  ScheduleId schedule;
  std::uint32_t expected_version = 0;
};
// Asks for one run now, in a namespace of its own: it covers no slot. `run` makes the request idempotent. `run` and
// `at` together name the run's event. The client chooses both once, and repeats them, so a run that is asked for again
// after a failover lost it is the same event. `at` is a name, not a due time, and the store compares it with nothing: a
// client whose clock is ahead could only answer a refusal by asking for another event.
struct TriggerSchedule {
  ResourceId resource;
  ScheduleId schedule;
  std::uint64_t run = 0;  // not 0
  StoreTime at;           // when it was first asked for, by the client's clock, in whole microseconds
  // Of all that the client asked for. The same run with another digest is refused; 0: the client does not say.
  std::uint64_t digest = 0;
};

// A backfill: asks for one run for each of these past slots, in the same namespace. It covers nothing.
struct BackfillSchedule {
  ResourceId resource;
  ScheduleId schedule;
  std::uint64_t run = 0;  // as for a trigger, like at and digest
  std::vector<StoreTime> slots;
  StoreTime at = {};
  std::uint64_t digest = 0;
};

struct Edited {
  std::uint32_t version = 0;  // the version now in force; a deleted schedule keeps its last
  std::uint64_t change_seq = 0;
  StoreTime since = {};  // where that version's segment begins; for a delete, where the last one ended
  // Of a manual run that had been asked for with another `at`: that one, which still holds.
  std::optional<StoreTime> first_at = {};
};
struct EditRefused {
  EditDenial why = EditDenial::no_such_schedule;
  std::uint32_t version = 0;
};

// ---- schedules: what the leader and its standbys do ------------------------------------------------------

// A version's reach in time: it owns the slots in [begin, end). Everything before `cursor` is covered by the
// ledger. A segment whose cursor has reached its end is drained and forgotten.
struct Segment {
  ScheduleId schedule;
  std::uint32_t version = 0;
  StoreTime begin;
  StoreTime end = StoreTime::max();  // max: the version in force
  StoreTime cursor;
};

// Segments with something not covered before `horizon`, ordered by (cursor, schedule, version), at most `limit`,
// beginning after the position `after` (cursor, schedule, version of the last one of the page before).
struct ReadDue {
  ResourceId resource;
  StoreTime horizon;
  std::uint32_t limit = 1000;
  std::optional<Segment> after;
};
// A hold: firing is stopped, persistently, because the store's clock was seen to jump.
struct Hold {
  StoreTime since;  // store time when it was set
  Duration jump;    // by how much the clock was seen to jump; positive is forward
  bool operator==(const Hold&) const = default;
};
struct Due {
  std::vector<Segment> segments;
  bool more = false;             // the page was full
  std::uint64_t change_seq = 0;  // definitions up to here are needed to interpret the segments
  std::optional<Hold> hold;
  std::uint32_t branch = 0;  // the store's: numbers of another branch's feed mean nothing here
};

// What a ledger row says of the slots in [from, to).
enum class Disposition : std::uint8_t {
  fired,  // the slot `slot` fired; if `slots` is 1, it is the only one, and `to` is no later than the next
  coalesced,   // they were folded into `slot` (written by the store, for a fired row of several slots)
  missed,      // too late for the schedule's misfire policy
  paused,      // suppressed: the schedule was paused
  overlapped,  // suppressed: work of the schedule was still running
  deleted,     // suppressed: the schedule was deleted (written by the store)
  replaced,  // in the history alone: it had fired, and its event gave way to that of a later slot (Overlap::replace)
};

// One ledger row to be: covers the slots of the segment in [from, to). `from` is the cursor as the leader knows
// it. Rows of one segment in one request follow one another without a gap.
struct LedgerRow {
  ScheduleId schedule;
  std::uint32_t version = 0;
  StoreTime from;
  StoreTime to;
  StoreTime slot;      // fired: the slot; coalesced: the slot it went into
  StoreTime due = {};  // of the last slot that it speaks for: the slot, or later by its jitter
  Disposition what = Disposition::fired;
  std::int64_t slots = 1;  // how many it speaks for; a fired row's others are coalesced into its slot
};

// Covers slots in one transaction, in one round trip, if holder, token and expiry hold, and no hold is set.
struct CommitFires {
  ResourceId resource;
  Incarnation holder;
  Token token;
  std::vector<LedgerRow> rows;
};
enum class RowResult : std::uint8_t {
  covered,     // the cursor advanced; the ledger row and, for fired, the outbox event are written
  moved,       // the cursor was not at `from`: somebody else advanced it, or the segment ended before `to`
  not_due,     // the slot (or `to`, for a range) is still in the store's future
  no_segment,  // drained, deleted or never there
  overlapped,  // a fire whose event others deliver: its slots are covered, but as overlapped. An event of the schedule
               // waits or runs, and the store itself judges that
};
struct Committed {
  std::vector<RowResult> rows;  // one for each row asked, in order
};
struct CommitRefused {
  Denial why = Denial::no_lease;
  bool held = false;  // the lease was good; a hold is set
};

// Outbox events not yet acknowledged, oldest first, after the event `after`. They are the leader's own work. Those that
// are pulled or pushed are apart (executions.h).
struct ReadOutbox {
  ResourceId resource;
  std::uint32_t limit = 1000;
  std::uint64_t after = 0;  // an OutboxEvent::seq
};
struct OutboxEvent {
  std::uint64_t seq = 0;  // commit order within the resource
  EventId id;
};
struct Outbox {
  std::vector<OutboxEvent> events;
  bool more = false;
  bool push_waits = false;  // events wait for destinations, which ReadWaiting reads
};
// Says who has had an event: the leader's own work, a destination, or consumers.
struct DeliveredEvent {
  EventId id;
  Delivery::Kind kind = Delivery::Kind::work;
  std::string to =
      {};  // the destination, or the topic; empty: own work, or consumers who do not say which topic
};
// Removes delivered events from the outbox, and those that are pulled or pushed from what waits. Idempotent. It shows
// no token, because what a destination has had it has had, whoever leads: an event stays that waits for another one,
// since a failover has lost the edit or the commit by which it went there. An event stays, too, whose claim stands:
// whoever claimed it ends it.
struct AckEvents {
  ResourceId resource;
  std::vector<DeliveredEvent> events;
};
struct Acknowledged {
  std::uint64_t claimed = 0;  // how many of the events stayed, because their claims stand
};

// An event whose work failed too often and was given up: a dead letter.
struct DeadEvent {
  EventId id;
  std::uint32_t attempts = 0;  // how often the work failed before the leader gave it up
  // Its number in the outbox; in a request, 0: under whatever number it is there.
  std::uint64_t seq = 0;
  StoreTime since = {};  // when the store was told; nothing in a request
  std::string why = {};  // of the last failure, for people
};
// Takes events out of the outbox and keeps them as dead. Idempotent. It shows the token: the next leader begins this
// work again, and only the leader may say that nobody will. Refused with CommitRefused.
struct GiveUpEvents {
  ResourceId resource;
  Incarnation holder;
  Token token;
  std::vector<DeadEvent> events;
};
struct GivenUp {};

// Dead events in the order of their numbers, after the event `after`: those that nobody has discarded, or the others.
struct ReadDead {
  ResourceId resource;
  std::uint32_t limit = 1000;
  std::uint64_t after = 0;  // a DeadEvent::seq
  bool discarded = false;
};
struct Discard {
  std::string actor;  // empty: nobody says
  StoreTime at;
  bool operator==(const Discard&) const = default;
};
struct Dead {
  std::vector<DeadEvent> events;
  bool more = false;
  std::vector<Discard> discards = {};  // of those that were discarded: one for each event
};
// Dead events that somebody has seen, and lets go: they stay until retention, but count no more. Idempotent: the first
// who does it is remembered. Events that are not dead stay as they are. A redrive takes them back.
struct DiscardDead {
  ResourceId resource;
  std::vector<EventId> events;
  std::string actor;
};
struct Discarded {
  std::uint64_t events = 0;  // how many were not discarded before
};
// As for requests by name (named.h).
std::string problem_of(const DiscardDead& asked);

// Puts dead events back into the outbox, or to those that wait, at the end: work on them begins again. As many attempts
// as at first may fail, and their numbers go on. Events that are not dead stay as they are.
struct Redrive {
  ResourceId resource;
  std::vector<EventId> events;
};
struct Redriven {
  std::uint64_t events = 0;  // how many events are no longer dead
};

// Definitions changed after `seq`, in commit order. After a failover that loses edits, their numbers go to other edits:
// a follower whose last number comes from another branch must read from the beginning.
struct ChangesSince {
  ResourceId resource;
  std::uint64_t seq = 0;
  std::uint32_t limit = 1000;
};
struct Change {
  std::uint64_t seq = 0;
  Segment segment;        // the version's segment as it began
  Definition definition;  // meaningless if deleted, or unreadable
  bool deleted = false;
  bool unreadable = false;  // by this program, which does not know its kind of rule, a field or the time zone
};
struct Changes {
  std::vector<Change> changes;
  std::uint64_t seq = 0;  // the last number returned, or the one in the request if there is none
  bool more = false;
  std::optional<Hold> hold;
  std::uint32_t branch = 0;  // the store's, as in Due
};

// Sets or clears the hold. Both show the token.
struct SetHold {
  ResourceId resource;
  Incarnation holder;
  Token token;
  Duration jump;
};
struct ClearHold {
  ResourceId resource;
  Incarnation holder;
  Token token;
};
struct HoldSet {
  std::optional<Hold> hold;  // its present state
};

// What became of slots and manual runs, in the order in which it was committed. A row is never changed.
struct ReadHistory {
  ResourceId resource;
  std::optional<ScheduleId> schedule = {};  // of this one alone
  std::uint64_t after = 0;  // rows that follow this one in the order asked for; 0: from the first one on
  std::uint32_t limit = 1000;
  bool newest_first = false;
};
struct HistoryRow {
  std::uint64_t seq = 0;  // commit order within the resource, without gaps
  ScheduleId schedule;
  std::uint32_t version = 0;
  Disposition what = Disposition::fired;
  StoreTime slot;         // of the event; of a row without one: nothing
  std::uint64_t run = 0;  // of a manual run
  StoreTime from;         // the slots that it speaks for are those in [from, to) …
  StoreTime to;
  std::int64_t slots =
      1;         // … and so many; 0: not counted (deleted), or none. A fired row's others are coalesced
  StoreTime at;  // when it was committed
};
struct HistoryPage {
  std::vector<HistoryRow> rows;
  bool more = false;
  std::uint64_t forgotten = 0;  // rows up to here were forgotten: who has seen less has missed some
  std::uint64_t last = 0;       // the last number given
  std::uint32_t branch = 0;     // the store's, as in Due: rows of another branch were others
};

// Forgets what ended by `before`: ledger rows, changes of drained segments, manual runs, dead events, payloads that
// were replaced, what became of executions, history, registered instances that have not been seen since, in this order;
// the earliest end first, at most `limit` in all, so that no request waits long for it. Then it deletes schedules that
// have no slot left since then, up to the limit. It shows no token, because it forgets only what is no longer needed.
struct Prune {
  ResourceId resource;
  StoreTime before;
  std::uint32_t limit = 1000;
  std::uint64_t keep_history =
      kHistoryRows;  // rows of history, the newest ones; older ones go whatever their age
  static constexpr std::uint64_t kHistoryRows = 10'000'000;
};
struct Pruned {
  std::uint64_t rows = 0;  // if this is `limit`, there may be more
};

using Request = CompiledOnce<
    std::variant<Acquire, Renew, Release, PutSchedule, DeleteSchedule, TriggerSchedule, BackfillSchedule,
                 ReadDue, CommitFires, ReadOutbox, AckEvents, ChangesSince, SetHold, ClearHold, Prune,
                 ReadDead, Redrive, GiveUpEvents, PutNamed, DeleteNamed, PauseNamed, ReadNamed, ListNamed,
                 ReadPayloads, ReadLog, ReadHistory, ReadWaiting, ReadDepths, ClaimExecutions,
                 ExtendExecutions, EndExecutions, RegisterNode, ReadNodes, DiscardDead, ReleaseExecutions>>;
using Reply = CompiledOnce<
    std::variant<Granted, Refused, Released, Edited, EditRefused, Due, Committed, CommitRefused, Outbox,
                 Acknowledged, Changes, HoldSet, Pruned, Dead, Redriven, GivenUp, NamedEdited, NamedRefused,
                 NamedSchedules, Payloads, Log, HistoryPage, WaitingEvents, Depths, ClaimedExecutions,
                 ExecutionStates, NodeRegistered, RegisteredNodes, Discarded>>;

// Whether the request changes nothing and waits for no lock.
inline bool only_reads(const Request& request) {
  return std::visit(
      []<class Asked>(const Asked&) {
        return kIsOneOf<Asked, ReadDue, ReadOutbox, ReadDead, ChangesSince, ReadNamed, ListNamed,
                        ReadPayloads, ReadLog, ReadHistory, ReadWaiting, ReadDepths, ReadNodes>;
      },
      request);
}

}  // namespace tenure::reference
