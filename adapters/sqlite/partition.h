// A resource of the reference store in SQLite, for the length of one transaction: what Partition
// (core/store/reference) keeps in memory, in tables.
//
// One overload of apply() a request, as there. The rules of the lease are the core's own (reference::Lease), and so is
// what a row may cover (reference::is_due); what is here is how they are stored. All that is one of a kind for the
// resource is read at the begin and written at the end, in one row.
//
// Leases and reads are in partition.cc, edits in edits.cc, what the leader writes in commit.cc.
//
// Thread rule: as Connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/sqlite/queries.h"
#include "adapters/store/store_backend.h"
#include "core/schedule/time_zone.h"
#include "core/store/reference/lease.h"
#include "core/store/reference/requests.h"
#include "core/store/store_machine.h"

namespace tenure::sqlite {

class SqlitePartition {
 public:
  // Reads what is one of a kind. REQUIRES: a transaction is open.
  SqlitePartition(Queries& queries, const TimeZones& zones, ResourceId resource);

  std::int64_t schema_version() const { return schema_version_; }
  // Between the constructor and apply(): the clock is read when the locks are had.
  void set_now(StoreTime now) { now_ = now; }

  reference::Reply apply(const reference::Acquire& asked);
  reference::Reply apply(const reference::Renew& asked);
  reference::Reply apply(const reference::Release& asked);

  reference::Reply apply(const reference::PutSchedule& asked);
  reference::Reply apply(const reference::DeleteSchedule& asked);
  reference::Reply apply(const reference::TriggerSchedule& asked);
  reference::Reply apply(const reference::BackfillSchedule& asked);

  reference::Reply apply(const reference::CommitFires& asked);
  reference::Reply apply(const reference::SetHold& asked);
  reference::Reply apply(const reference::ClearHold& asked);
  reference::Reply apply(const reference::AckEvents& asked);
  reference::Reply apply(const reference::Redrive& asked);
  reference::Reply apply(const reference::Prune& asked);

  reference::Reply apply(const reference::ReadDue& asked);
  reference::Reply apply(const reference::ReadOutbox& asked);
  reference::Reply apply(const reference::ReadDead& asked);
  reference::Reply apply(const reference::ChangesSince& asked);

  StoreAudit audit();
  // Writes what is one of a kind, if anything was changed: true. Last of all, before the commit.
  bool save();

  std::uint64_t position() const { return head_.commits; }
  std::vector<Notification> take_notifications() { return std::move(notifications_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  struct Head {
    std::uint64_t commits = 0;
    reference::Lease lease;
    std::optional<reference::Hold> hold;
    std::uint64_t change_seq = 0;
    std::uint64_t outbox_seq = 0;
    bool operator==(const Head&) const = default;
  };
  struct Schedule {
    std::uint32_t version = 0;  // 0: there is none
    std::uint64_t change_seq = 0;
    StoreTime since;
    bool deleted = false;
  };

  Schedule find(ScheduleId id);
  void save(ScheduleId id, const Schedule& schedule);
  static reference::Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  static std::optional<reference::EditRefused> refusal(const Schedule& schedule,
                                                       std::uint32_t expected_version);
  // Closes the segment in force, in the table and in the feed. Returns its end.
  StoreTime close(ScheduleId id, const Schedule& schedule);
  // By any version of the schedule.
  StoreTime covered_until(ScheduleId id);
  // No closed segment of the schedule reaches beyond `at`.
  void cut(ScheduleId id, StoreTime at);
  void draw_back();
  std::string definition_text(std::uint64_t change_seq);
  std::uint64_t append_change(const reference::Segment& segment, std::string_view definition, bool deleted);
  // True: it is the first time that this run is asked for.
  bool add_run(ScheduleId schedule, std::uint64_t run);
  void add_event(const reference::EventId& id);

  reference::RowResult cover(const reference::LedgerRow& row);
  void add_exception(const reference::LedgerRow& row);
  std::vector<reference::LedgerRow> exceptions();

  Queries& queries_;
  const TimeZones& zones_;
  const ResourceId resource_;
  std::int64_t schema_version_ = 0;
  std::uint32_t branch_ = 0;  // the store's
  StoreTime now_;
  Head head_;
  Head before_;
  bool wrote_ = false;  // rows of other tables
  std::vector<Notification> notifications_;
  std::vector<std::string> warnings_;  // of definitions that were not read
};

}  // namespace tenure::sqlite
