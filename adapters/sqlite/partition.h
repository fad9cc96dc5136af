// A resource of the house store in SQLite, for the length of one transaction: what Partition (core/store/house) keeps
// in memory, in tables.
//
// One overload of apply() a request, as there. The rules of the lease are the core's own (house::Lease), and so is what
// a row may cover (house::is_due); what is here is how they are stored. All that is one of a kind for the resource is
// read at the begin and written at the end, in one row.
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
#include "adapters/store/house_database.h"
#include "core/schedule/time_zone.h"
#include "core/store/house/lease.h"
#include "core/store/house/requests.h"
#include "core/store/store_machine.h"

namespace tenure::sqlite {

class Partition {
 public:
  // Reads what is one of a kind. REQUIRES: a transaction is open.
  Partition(Queries& queries, const TimeZones& zones, ResourceId resource);

  std::int64_t schema_version() const { return schema_version_; }
  // Between the constructor and apply(): the clock is read when the locks are had.
  void set_now(StoreTime now) { now_ = now; }

  house::Reply apply(const house::Acquire& asked);
  house::Reply apply(const house::Renew& asked);
  house::Reply apply(const house::Release& asked);

  house::Reply apply(const house::PutSchedule& asked);
  house::Reply apply(const house::DeleteSchedule& asked);
  house::Reply apply(const house::TriggerSchedule& asked);
  house::Reply apply(const house::BackfillSchedule& asked);

  house::Reply apply(const house::CommitFires& asked);
  house::Reply apply(const house::SetHold& asked);
  house::Reply apply(const house::ClearHold& asked);
  house::Reply apply(const house::AckEvents& asked);
  house::Reply apply(const house::Prune& asked);

  house::Reply apply(const house::ReadDue& asked);
  house::Reply apply(const house::ReadOutbox& asked);
  house::Reply apply(const house::ChangesSince& asked);

  HouseAudit audit();
  // Writes what is one of a kind, if anything was changed: true. Last of all, before the commit.
  bool save();

  std::uint64_t position() const { return head_.commits; }
  std::vector<Notification> take_notifications() { return std::move(notifications_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  struct Head {
    std::uint64_t commits = 0;
    house::Lease lease;
    std::optional<house::Hold> hold;
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
  static house::Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  static std::optional<house::EditRefused> refusal(const Schedule& schedule, std::uint32_t expected_version);
  // Closes the segment in force, in the table and in the feed. Returns its end.
  StoreTime close(ScheduleId id, const Schedule& schedule);
  // By any version of the schedule.
  StoreTime covered_until(ScheduleId id);
  // No closed segment of the schedule reaches beyond `at`.
  void cut(ScheduleId id, StoreTime at);
  void draw_back();
  std::string definition_text(std::uint64_t change_seq);
  std::uint64_t append_change(const house::Segment& segment, std::string_view definition, bool deleted);
  // True: it is the first time that this run is asked for.
  bool add_run(ScheduleId schedule, std::uint64_t run);
  void add_event(const house::EventId& id);

  house::RowResult cover(const house::Covering& row);
  void add_exception(const house::Covering& row);
  std::vector<house::Covering> exceptions();

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
