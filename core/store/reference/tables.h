// What the rules (rules.h) read and write: the rows of one resource, table by table. The reference store keeps them in
// memory, a real store in its database.
//
// A row that a function returns a pointer to may be changed in place; a store may keep the change only after save().
// The pointer is valid until the row is removed, or the request is done.
//
// Thread rule: values; tables as what they are kept in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/fold.h"
#include "core/schedule/definition.h"
#include "core/store/reference/fields.h"
#include "core/store/reference/lease.h"

namespace tenure::reference {

// ---- a row of the ledger by itself -----------------------------------------------------------------------

// CHECKs the caller's part. The rest depends on the world, and has a RowResult.
void check_well_formed(const LedgerRow& row);
// Whether the row only says that no slot is left of the segment in force: its cursor goes to max(), and nothing is
// covered.
bool is_end(const LedgerRow& row);
// The end of the last instant that the row covers. A single fire's `to` is only where the cursor waits for the next
// slot.
StoreTime covered_end(const LedgerRow& row);
// Whether everything that the row covers has come.
bool is_due(const LedgerRow& row, StoreTime now);
// A fired row as it is written when the store judges that its slots overlap.
LedgerRow as_overlapped(LedgerRow row);
// The slots of a fired row before and after the one that fired, as rows: coalesced into it.
std::vector<LedgerRow> coalesced_around(const LedgerRow& fired);

// ---- schedules -------------------------------------------------------------------------------------------

struct Schedule {
  ScheduleId id;
  std::uint32_t version = 0;     // 0: it was only just added
  std::uint64_t change_seq = 0;  // of the version in force, or of the delete
  StoreTime since;               // when that took effect
  bool deleted = false;
  std::string name;  // empty: its number is
  Pause pause;       // of a paused definition

  std::string called() const { return name.empty() ? name_of_number(id) : name; }
  void hash(auto& sink) const { fold(sink, version, change_seq, deleted, name, pause.actor, pause.why); }
};

class ScheduleRows {
 public:
  virtual ~ScheduleRows() = default;
  // Tombstones included; nullptr when there never was one.
  virtual Schedule* find(ScheduleId id) = 0;
  // The schedule of that name that is not deleted.
  virtual Schedule* find(const std::string& name) = 0;
  // 0: there never was a schedule.
  virtual std::uint32_t largest_number() = 0;
  // Empty name: its number is.
  virtual Schedule* add(ScheduleId id, const std::string& name) = 0;
  virtual void save(const Schedule& schedule) = 0;
};

// One version of a schedule.
struct SegmentKey {
  ScheduleId schedule;
  std::uint32_t version = 0;
  constexpr auto operator<=>(const SegmentKey&) const = default;
  void hash(auto& sink) const { fold(sink, schedule, version); }
};

// Invariants: segments.h.
class SegmentRows {
 public:
  virtual ~SegmentRows() = default;
  // Opens the segment of a new version, with the cursor at its first slot, so that ReadDue does not return a slot that
  // is due in a year. `covered_until`: the end of the last instant that earlier versions have covered. Returns the
  // segment.
  virtual Segment begin(SegmentKey key, StoreTime at, StoreTime covered_until,
                        const Definition& definition) = 0;
  struct Cut {
    StoreTime at;
    StoreTime covered_until;  // by any version of the schedule
  };
  // Closes the segment of the version in force at `now`, or as soon after as invariant 1 allows, and every segment that
  // reaches further. Forgets segments that this drains. `definition`: nullptr: it cannot be read, and there may be a
  // slot left. REQUIRES: `key` is in force.
  virtual Cut close(SegmentKey key, StoreTime now, const Definition* definition) = 0;
  // Draws every version in force back that begins after `now`. Returns them with their new begins.
  virtual std::vector<std::pair<ScheduleId, StoreTime>> draw_back(StoreTime now) = 0;
  // Removes all of a schedule's segments, and returns them.
  virtual std::vector<Segment> remove(ScheduleId schedule) = 0;
  // Advances the cursor over `row` if that is allowed; forgets the segment if that drains it. `rules`: those of the
  // version, if its events are not the leader's own work.
  virtual RowResult cover(const LedgerRow& row, StoreTime now, std::optional<DeliveryRules>& rules) = 0;
  // How events of the version are delivered; nullopt: by the leader's own work, or there is no such segment.
  virtual std::optional<DeliveryRules> rules(SegmentKey key) = 0;
};

class ExceptionRows {
 public:
  virtual ~ExceptionRows() = default;
  // Joins the row before it, if that says the same and ends where it begins. REQUIRES: row.what is not fired.
  virtual void add(const LedgerRow& row) = 0;
};

// Who made a change, and why.
struct LogNote {
  LogAction what = LogAction::put;
  std::string actor;
  std::string why;
  void hash(auto& sink) const { fold(sink, what, actor, why); }
};

class ChangeRows {
 public:
  virtual ~ChangeRows() = default;
  // Appends `change` under the next number, and returns that. `before`: the schedule's change before; 0: none. (A store
  // may have read less in it than was written. So a pause or a delete changes nothing else of the definition.)
  virtual std::uint64_t append(Change change, LogNote note, std::uint64_t before) = 0;
  // The segment of change `seq` was closed.
  virtual void close(std::uint64_t seq, StoreTime end) = 0;

  // These REQUIRE that `seq` is the change of a version in force: it is kept.
  //
  // nullptr: this program cannot read it. Valid until the next call.
  virtual const Definition* definition(std::uint64_t seq) = 0;
  virtual bool is(std::uint64_t seq, const Definition& definition) = 0;
  virtual bool is_paused(std::uint64_t seq) = 0;
};

// Invariants: PayloadTable (row_tables.h).
class PayloadRows {
 public:
  virtual ~PayloadRows() = default;
  // From `key` on, which begins at `at`, the schedule's versions have this payload.
  virtual void put(SegmentKey key, const Payload& payload, StoreTime at) = 0;
  // The schedule was deleted at `at`; `key` was its last version.
  virtual void close(SegmentKey key, StoreTime at) = 0;
  // Empty when there is none. Valid until the next call.
  virtual const Payload& find(SegmentKey key) = 0;
};

struct ManualRun {
  ScheduleId schedule;
  std::uint64_t run = 0;
  StoreTime committed;
  StoreTime at;
  std::uint64_t digest = 0;
  void hash(auto& sink) const { fold(sink, committed, at, digest); }
};

class RunRows {
 public:
  virtual ~RunRows() = default;
  // nullopt: it was added. Otherwise the run of that number that is there.
  virtual std::optional<ManualRun> find_or_add(const ManualRun& run) = 0;
};

// ---- events ----------------------------------------------------------------------------------------------

// A dead event of those that others deliver.
struct DeadWaiting {
  std::string name;
  DeliveryRules rules;
  void hash(auto& sink) const { fold(sink, name, rules); }
};
struct DeadEntry {
  DeadEvent event;
  std::uint32_t version = 0;
  std::optional<DeadWaiting> waiting = {};  // none: of the outbox
  std::optional<Discard> discard = {};
  void hash(auto& sink) const { fold(sink, event, version, waiting, discard); }
};

class OutboxRows {
 public:
  virtual ~OutboxRows() = default;
  // The last number given.
  virtual std::uint64_t last() const = 0;
  // Gives the next one to an event that is kept elsewhere.
  virtual void take_number() = 0;
  // Appends an event of that version under the next number. False: it is pending already, and stays as it is.
  virtual bool add(const EventId& id, std::uint32_t version, StoreTime now) = 0;
  // Removes an event; does nothing when it is not pending.
  virtual void acknowledge(const EventId& id) = 0;
  // Removes an event, and keeps it as a dead one. False: it is not pending, or not under the number that is named.
  virtual bool give_up(const DeadEvent& dead, StoreTime now) = 0;
  // Keeps an event of elsewhere as a dead one. Its `seq` and `since` are given.
  virtual void keep_dead(DeadEntry dead) = 0;
  // Takes a dead event out; nullopt: it was not dead. Of a manual run that was asked for again after retention there
  // may be two: one event, of the later version.
  virtual std::optional<DeadEntry> take_dead(const EventId& id) = 0;
  // Marks a dead event. False: it is not dead, or is marked.
  virtual bool discard(const EventId& id, const Discard& discard) = 0;
};

struct WaitingRow {
  std::uint64_t seq = 0;
  EventId id;
  std::uint32_t version = 0;
  std::string name;  // its topic or destination
  DeliveryRules rules;
  StoreTime at = {};  // when it was committed
  Attempt attempt = {};
  std::string worker = {};  // of the attempt
  std::string why = {};     // of the last failure

  // It waits for who has had it.
  bool is_for(const DeliveredEvent& had) const {
    return rules.delivery.kind == had.kind && (had.to.empty() || name == had.to);
  }
  // Its attempt was the last one, or it is to give way: when that ends it is gone.
  bool is_last() const { return attempt.cancelled || attempt.spent() >= rules.delivery.attempts; }
  void hash(auto& sink) const { fold(sink, seq, id, version, name, rules, at, attempt, worker, why); }
};

// What became of an event's last attempt.
struct Ended {
  std::uint32_t attempt = 0;
  std::uint64_t nonce = 0;
  Standing how = Standing::completed;
  StoreTime at;
  void hash(auto& sink) const { fold(sink, attempt, nonce, how, at); }
};

// Of how many that are to be tried no more one claim finds out, at most.
inline constexpr std::size_t kSettledAtOnce = 100;
// Why an attempt failed whose worker has not said so.
inline constexpr std::string_view kTimedOut = "the claim was over before the work was";

// Invariants: waiting.h.
class WaitingRows {
 public:
  virtual ~WaitingRows() = default;
  // False: the event is here already. REQUIRES: its number is larger than any before.
  virtual bool add(WaitingRow row) = 0;
  // Its attempt, its worker and why it failed.
  virtual void save(const WaitingRow& row) = 0;
  virtual WaitingRow take(WaitingRow& row) = 0;
  virtual WaitingRow* find(const EventId& id) = 0;
  virtual std::vector<WaitingRow*> of(ScheduleId schedule) = 0;
  // How many of the schedule's events are here; 2 may stand for more.
  virtual std::size_t count(ScheduleId schedule) = 0;

  // The latest time that any attempt began or was extended at, past ones included.
  virtual StoreTime latest_from() const = 0;
  // Counts attempts anew from `now`: those that begin in the future; and `all` of which a claim stands.
  virtual void count_again(StoreTime now, bool all) = 0;
  // Of a topic, in order and at most kSettledAtOnce: what is_last(), and timed out since.
  virtual std::vector<WaitingRow*> timed_out(const std::string& topic, StoreTime now, bool held) = 0;
  // What a claim may hand out, in order, at most asked.max. `hand_out` claims the row.
  virtual void for_claimable(const ClaimExecutions& asked, StoreTime now, bool held,
                             const std::function<void(WaitingRow&)>& hand_out) = 0;

  virtual void remember(const EventId& id, const Ended& ended) = 0;
  // Of events that are no longer here; nullopt when it was forgotten.
  virtual std::optional<Ended> ended(const EventId& id) = 0;
};

// ---- and the rest ----------------------------------------------------------------------------------------

class HistoryRows {
 public:
  virtual ~HistoryRows() = default;
  // Gives it the next number. Does nothing in a store that keeps no history.
  virtual void append(HistoryRow row) = 0;
  // What became of the ledger row's slots.
  void add(const LedgerRow& row, StoreTime now);
  // The event of a manual run; or of a slot, that was replaced.
  void add(const EventId& event, std::uint32_t version, Disposition what, StoreTime now);
};

class NodeRows {
 public:
  virtual ~NodeRows() = default;
  // A number is never given a second time.
  virtual NodeRegistered add(const RegisterNode& asked, StoreTime now) = 0;
};

// Of one resource.
struct Tables {
  Lease& lease;
  std::optional<Hold>& hold;
  ScheduleRows& schedules;
  SegmentRows& segments;
  ExceptionRows& exceptions;
  ChangeRows& changes;
  PayloadRows& payloads;
  RunRows& runs;
  OutboxRows& outbox;
  WaitingRows& waiting;
  HistoryRows& history;
  NodeRows& nodes;
};

}  // namespace tenure::reference
