// Everything that the reference store keeps for one resource: a lease, and the schedules that its holder fires.
//
// One overload of apply() for each request; reference_store.h says what they promise. They are in five files: leases
// and reads in partition.cc, edits by number in edits.cc, everything by name in by_name.cc, fires, holds and prune in
// commit.cc, and what becomes of events in deliver.cc.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/changes.h"
#include "core/store/reference/history.h"
#include "core/store/reference/lease.h"
#include "core/store/reference/ledger.h"
#include "core/store/reference/nodes.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/payloads.h"
#include "core/store/reference/segments.h"
#include "core/store/reference/waiting.h"
#include "core/store/store_machine.h"

namespace tenure::reference {

// What a request is executed with, beside the partition's own state.
struct Context {
  StoreTime now;
  std::uint32_t branch = 0;  // the store's own
  std::vector<Notification>& notifications;
};

class Partition {
 public:
  Reply apply(const Acquire& asked, Context& context);
  Reply apply(const Renew& asked, Context& context);
  Reply apply(const Release& asked, Context& context);

  Reply apply(const PutSchedule& asked, Context& context);
  Reply apply(const DeleteSchedule& asked, Context& context);
  Reply apply(const TriggerSchedule& asked, Context& context);
  Reply apply(const BackfillSchedule& asked, Context& context);

  Reply apply(const PutNamed& asked, Context& context);
  Reply apply(const DeleteNamed& asked, Context& context);
  Reply apply(const PauseNamed& asked, Context& context);
  Reply apply(const ReadNamed& asked, Context& context);
  Reply apply(const ListNamed& asked, Context& context);
  Reply apply(const ReadPayloads& asked, Context& context);
  Reply apply(const ReadLog& asked, Context& context);

  Reply apply(const CommitFires& asked, Context& context);
  Reply apply(const SetHold& asked, Context& context);
  Reply apply(const ClearHold& asked, Context& context);
  Reply apply(const Prune& asked, Context& context);

  Reply apply(const AckEvents& asked, Context& context);
  Reply apply(const GiveUpEvents& asked, Context& context);
  Reply apply(const Redrive& asked, Context& context);
  Reply apply(const DiscardDead& asked, Context& context);
  Reply apply(const ClaimExecutions& asked, Context& context);
  Reply apply(const ExtendExecutions& asked, Context& context);
  Reply apply(const EndExecutions& asked, Context& context);
  Reply apply(const ReleaseExecutions& asked, Context& context);
  Reply apply(const ReadWaiting& asked, Context& context);
  Reply apply(const ReadDepths& asked, Context& context);

  Reply apply(const ReadDue& asked, Context& context);
  Reply apply(const ReadOutbox& asked, Context& context);
  Reply apply(const ReadDead& asked, Context& context);
  Reply apply(const ChangesSince& asked, Context& context);
  Reply apply(const ReadHistory& asked, Context& context);
  Reply apply(const RegisterNode& asked, Context& context);
  Reply apply(const ReadNodes& asked, Context& context);

  void keep_history() { history_.keep(); }
  const Lease& lease() const { return lease_; }
  Ledger ledger() const { return {exceptions_.all(), segments_.all()}; }
  // Nothing was ever granted or written here: it answers like a resource that does not exist.
  bool untouched() const { return lease_.epoch == 0 && changes_.last() == 0 && nodes_.untouched(); }
  void hash(Hasher& hasher, StoreTime now) const;

 private:
  struct Schedule {
    std::uint32_t version = 0;
    std::uint64_t change_seq = 0;  // of the version in force, or of the delete
    StoreTime since;               // when that took effect
    bool deleted = false;
    Definition definition;  // the last one
    std::string name;       // empty: its number is
    Pause pause;            // of a paused definition
  };
  using Schedules = std::map<ScheduleId, Schedule>;
  using Run = std::pair<ScheduleId, std::uint64_t>;
  struct ManualRun {
    StoreTime committed;
    StoreTime at;
    std::uint64_t digest = 0;
  };

  static Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  // Why an edit that expects `version` is refused; nullopt when it may go ahead.
  static std::optional<EditRefused> refusal(const Schedule& schedule, std::uint32_t expected_version);
  // The next version of a schedule, or the first, and the end of one.
  void edit(ResourceId resource, ScheduleId id, Schedule& schedule, const Definition& definition,
            LogNote note, Context& context);
  void remove(ResourceId resource, ScheduleId id, Schedule& schedule, LogNote note, Context& context);
  // The schedule of that name that is not deleted; end() when there is none.
  Schedules::iterator find(const std::string& name);
  static std::string name_of(const Schedules::value_type& schedule);
  static NamedRefused named_refusal(EditDenial why, const Schedules::value_type* in_force);
  static NamedEdited named_edited(const Schedules::value_type& schedule);
  NamedSchedule describe(const Schedules::value_type& schedule) const;
  // Closes the segment in force, in the table and in the feed.
  SegmentTable::Cut close(ScheduleId id, const Schedule& schedule, StoreTime now);
  // Forgets manual runs as Prune says; returns how many.
  std::uint64_t prune_runs(StoreTime before, std::uint64_t limit);
  // Deletes schedules as Prune says; returns how many.
  std::uint64_t delete_finished(const Prune& asked, std::uint64_t limit, Context& context);
  // What becomes of a fired row that was covered.
  RowResult fire(const LedgerRow& row, const std::optional<DeliveryRules>& rules, StoreTime now);
  // An event, to where those of its version are delivered from. `rules`: nullptr: it is the leader's own work. False:
  // it is there already.
  bool add_event(const EventId& id, std::uint32_t version, const DeliveryRules* rules, StoreTime now);
  // A manual run of a schedule that is there, or what became of it when it was asked for before.
  Reply begin_run(ResourceId resource, const Run& run, const ManualRun& asked,
                  const std::vector<StoreTime>& slots, Context& context);
  // An event of a manual run.
  void add_run(const EventId& id, const Schedule& schedule, StoreTime now);
  // A dead event that is to wait again.
  WaitingRow put_back(const EventId& id, OutboxQueue::DeadEntry dead, StoreTime now) const;
  // An event that is no longer waiting, because it is dead or was replaced.
  void left(WaitingTable::Left event, StoreTime now);
  // The version in force begins now at the latest (reference_store.h, rule 9).
  void draw_back(ScheduleId id, StoreTime now);

  Lease lease_;
  Schedules schedules_;                      // tombstones included
  std::map<std::string, ScheduleId> names_;  // given by clients, of schedules that are not deleted
  SegmentTable segments_;
  ExceptionTable exceptions_;
  ChangeLog changes_;
  OutboxQueue outbox_;
  WaitingTable waiting_;
  PayloadTable payloads_;
  HistoryLog history_;
  NodeTable nodes_;
  std::map<Run, ManualRun> runs_;
  std::optional<Hold> hold_;
};

}  // namespace tenure::reference
