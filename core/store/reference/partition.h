// Everything that the reference store keeps for one resource: a lease, and the schedules that its holder fires.
//
// One overload of apply() for each request; reference_store.h says what they promise. They are in three files: leases
// and reads in partition.cc, edits in edits.cc, the leader's writes in commit.cc.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/changes.h"
#include "core/store/reference/lease.h"
#include "core/store/reference/ledger.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"
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

  Reply apply(const CommitFires& asked, Context& context);
  Reply apply(const SetHold& asked, Context& context);
  Reply apply(const ClearHold& asked, Context& context);
  Reply apply(const AckEvents& asked, Context& context);
  Reply apply(const GiveUpEvents& asked, Context& context);
  Reply apply(const Redrive& asked, Context& context);
  Reply apply(const Prune& asked, Context& context);

  Reply apply(const ReadDue& asked, Context& context);
  Reply apply(const ReadOutbox& asked, Context& context);
  Reply apply(const ReadDead& asked, Context& context);
  Reply apply(const ChangesSince& asked, Context& context);

  const Lease& lease() const { return lease_; }
  Ledger ledger() const { return {exceptions_.all(), segments_.all()}; }
  // Nothing was ever granted or written here: it answers like a resource that does not exist.
  bool untouched() const { return lease_.epoch == 0 && changes_.last() == 0; }
  void hash(Hasher& hasher, StoreTime now) const;

 private:
  struct Schedule {
    std::uint32_t version = 0;
    std::uint64_t change_seq = 0;  // of the version in force, or of the delete
    StoreTime since;               // when that took effect
    bool deleted = false;
    Definition definition;  // the last one
  };
  using Run = std::pair<ScheduleId, std::uint64_t>;

  static Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  // Why an edit that expects `version` is refused; nullopt when it may go ahead.
  static std::optional<EditRefused> refusal(const Schedule& schedule, std::uint32_t expected_version);
  // Closes the segment in force, in the table and in the feed.
  SegmentTable::Cut close(ScheduleId id, const Schedule& schedule, StoreTime now);
  // Forgets manual runs as Prune says; returns how many.
  std::uint64_t prune_runs(StoreTime before, std::uint64_t limit);
  // The version in force begins now at the latest (reference_store.h, rule 9).
  void draw_back(ScheduleId id, StoreTime now);

  Lease lease_;
  std::map<ScheduleId, Schedule> schedules_;  // tombstones included
  SegmentTable segments_;
  ExceptionTable exceptions_;
  ChangeLog changes_;
  OutboxQueue outbox_;
  std::map<Run, StoreTime> runs_;  // manual runs, and when they were asked for
  std::optional<Hold> hold_;
};

}  // namespace tenure::reference
