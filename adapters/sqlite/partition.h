// A resource of the reference store in SQLite, during one transaction. It keeps in tables what Partition
// (core/store/reference) keeps in memory.
//
// One overload of apply() for each request, as there. The rules of the lease, and what a row may cover, are the core's
// own (reference::Lease, reference::is_due). This class stores them. Everything that a resource has only once is read
// at the begin and written at the end, in one row.
//
// Leases and reads are in partition.cc, edits by number in edits.cc, everything by name in by_name.cc, the leader's
// writes in commit.cc, what becomes of events in deliver.cc, claims in claims.cc, and what becomes of them in
// executions.cc.
//
// Thread rule: as Connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sqlite/host_time.h"
#include "adapters/sqlite/queries.h"
#include "adapters/store/store_backend.h"
#include "core/schedule/time_zone.h"
#include "core/store/reference/lease.h"
#include "core/store/reference/requests.h"
#include "core/store/reference/waiting.h"
#include "core/store/store_machine.h"

namespace tenure::sqlite {

class SqlitePartition {
 public:
  // Reads the resource's row. REQUIRES: a transaction is open.
  SqlitePartition(Queries& queries, const TimeZones& zones, ResourceId resource, bool keeps_history);

  std::int64_t schema_version() const { return schema_version_; }
  // Call between the constructor and apply(): the clock is read after the locks are taken.
  void set_now(StoreTime now) { now_ = now; }
  // The same, by the host's clock. If that has jumped since the resource was last written, a request that writes holds
  // firing, as a leader does that sees the clock jump.
  void set_now(const HostTime& now, bool writes);

  reference::Reply apply(const reference::Acquire& asked);
  reference::Reply apply(const reference::Renew& asked);
  reference::Reply apply(const reference::Release& asked);

  reference::Reply apply(const reference::PutSchedule& asked);
  reference::Reply apply(const reference::DeleteSchedule& asked);
  reference::Reply apply(const reference::TriggerSchedule& asked);
  reference::Reply apply(const reference::BackfillSchedule& asked);

  reference::Reply apply(const reference::PutNamed& asked);
  reference::Reply apply(const reference::DeleteNamed& asked);
  reference::Reply apply(const reference::PauseNamed& asked);
  reference::Reply apply(const reference::ReadNamed& asked);
  reference::Reply apply(const reference::ListNamed& asked);
  reference::Reply apply(const reference::ReadPayloads& asked);
  reference::Reply apply(const reference::ReadLog& asked);

  reference::Reply apply(const reference::CommitFires& asked);
  reference::Reply apply(const reference::SetHold& asked);
  reference::Reply apply(const reference::ClearHold& asked);
  reference::Reply apply(const reference::Prune& asked);

  reference::Reply apply(const reference::AckEvents& asked);
  reference::Reply apply(const reference::GiveUpEvents& asked);
  reference::Reply apply(const reference::Redrive& asked);
  reference::Reply apply(const reference::DiscardDead& asked);
  reference::Reply apply(const reference::ClaimExecutions& asked);
  reference::Reply apply(const reference::ExtendExecutions& asked);
  reference::Reply apply(const reference::EndExecutions& asked);
  reference::Reply apply(const reference::ReleaseExecutions& asked);
  reference::Reply apply(const reference::ReadWaiting& asked);
  reference::Reply apply(const reference::ReadDepths& asked);

  reference::Reply apply(const reference::ReadDue& asked);
  reference::Reply apply(const reference::ReadOutbox& asked);
  reference::Reply apply(const reference::ReadDead& asked);
  reference::Reply apply(const reference::ChangesSince& asked);
  reference::Reply apply(const reference::ReadHistory& asked);
  reference::Reply apply(const reference::RegisterNode& asked);
  reference::Reply apply(const reference::ReadNodes& asked);

  // The claim would hand out nothing, and change nothing. Only reads.
  bool finds_nothing(const reference::ClaimExecutions& asked);

  StoreAudit audit();
  // Writes the resource's row, if anything was changed: true. Call last, before the commit.
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
    std::uint64_t history_seq = 0;
    std::uint32_t next_node = reference::kFirstRegistered;
    StoreTime attempts = StoreTime::min();  // the latest time that an attempt was written with
    std::uint64_t clients_events = 0;       // how often clients have added events: listeners look at it
    bool operator==(const Head&) const = default;
  };
  struct Schedule {
    std::uint32_t version = 0;  // 0: there is no such schedule
    std::uint64_t change_seq = 0;
    StoreTime since;
    bool deleted = false;
    std::string name;        // empty: its number is
    reference::Pause pause;  // of a paused definition
  };
  // What an edit is noted with.
  struct Note {
    reference::LogAction what = reference::LogAction::put;
    std::string_view actor;
    std::string_view why;
  };

  Schedule find(ScheduleId id);
  // The schedule of that name that is not deleted.
  std::optional<ScheduleId> find(const std::string& name);
  static std::string name_of(ScheduleId id, const Schedule& schedule);
  reference::NamedRefused named_refusal(reference::EditDenial why, const std::optional<ScheduleId>& in_force);
  static reference::NamedEdited named_edited(ScheduleId id, const Schedule& schedule) {
    return {{id, schedule.version}, schedule.change_seq, schedule.since};
  }
  reference::NamedSchedule read_named(Rows& rows, bool with_data);
  // The next version of a schedule, or the first; `text` is the definition's. And the end of one.
  void edit(ScheduleId id, Schedule& schedule, const Definition& definition, std::string_view text,
            const Note& note);
  void remove(ScheduleId id, Schedule& schedule, const Note& note);
  // Version 0: that of the last version.
  reference::Payload payload_of(ScheduleId id, std::uint32_t version);
  void put_payload(ScheduleId id, const Schedule& schedule, const reference::Payload& payload);
  void save(ScheduleId id, const Schedule& schedule);
  static reference::Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  static std::optional<reference::EditRefused> refusal(const Schedule& schedule,
                                                       std::uint32_t expected_version);
  // Closes the segment in force, in the table and in the feed. Returns its end.
  StoreTime close(ScheduleId id, const Schedule& schedule);
  // What any version of the schedule has covered.
  StoreTime covered_until(ScheduleId id);
  // Makes all closed segments of the schedule end at `at` at the latest.
  void cut(ScheduleId id, StoreTime at);
  void draw_back();
  std::string definition_text(std::uint64_t change_seq);
  std::uint64_t append_change(const reference::Segment& segment, std::string_view definition, bool deleted,
                              const Note& note);
  // A manual run of a schedule that is there, or what became of it when it was asked for before.
  template <class Asked>
  reference::Reply begin_run(const Asked& asked, const std::vector<StoreTime>& slots,
                             const Schedule& schedule);
  // How events of a version are delivered; nothing: by the leader's own work.
  using Rules = std::optional<reference::DeliveryRules>;
  Rules rules_of(ScheduleId id, std::uint32_t version);
  // Of an event that was just added, and was dead before after so many attempts that counted.
  void begin_anew(const reference::EventId& id, std::uint32_t attempts);
  // A client has added events.
  void tell_of_events();
  // The event of a manual run.
  void add_manual(const reference::EventId& id, std::uint32_t version);
  // False: it is there already.
  bool add_event(const reference::EventId& id, std::uint32_t version, const Rules& rules);
  bool add_waiting(const reference::EventId& id, std::uint32_t version, const std::string& name,
                   const reference::DeliveryRules& rules);
  void add_history(const reference::HistoryRow& row);
  bool held() const { return head_.hold.has_value(); }

  // An event that waits, with its number.
  struct Waiting {
    std::uint64_t seq = 0;
    reference::WaitingRow row;
  };
  static Waiting read_waiting(Rows& rows);
  std::optional<Waiting> find(const reference::EventId& id);
  void save_attempt(const Waiting& waiting);
  // It waits no more. If it was tried, that is remembered; a dead one is kept.
  void finish(const Waiting& waiting, reference::Standing how);
  void bury(const Waiting& waiting);
  void replace(ScheduleId schedule);
  std::vector<Waiting> to_settle(const std::string& topic);
  // What a claim hands out, in the order of numbers.
  std::vector<Waiting> claimable(const std::string& topic, std::uint32_t max);
  bool is_first(ScheduleId schedule, std::int64_t seq);  // of those that wait
  bool is_kept_waiting(ScheduleId schedule, std::int64_t seq);
  reference::ExecutionState extend(const reference::ExecutionToken& token, Duration duration);
  reference::ExecutionState end(const reference::ExecutionEnd& end);
  reference::ExecutionState release(const reference::ExecutionToken& token);
  reference::ExecutionState remembered(const reference::ExecutionToken& token);

  // `rules`: of a row that is covered.
  reference::RowResult cover(const reference::LedgerRow& row, Rules& rules);
  reference::RowResult fire(const reference::LedgerRow& row, const Rules& rules);
  std::int64_t delete_finished(StoreTime before, std::int64_t limit);
  void add_exception(const reference::LedgerRow& row);
  std::vector<reference::LedgerRow> exceptions();

  Queries& queries_;
  const TimeZones& zones_;
  const ResourceId resource_;
  const bool keeps_history_;
  std::int64_t schema_version_ = 0;
  std::uint32_t branch_ = 0;  // the store's
  StoreTime now_;
  HostTime written_;  // when the resource was written last, and how the clock stood; then: now
  bool jumped_ = false;
  Head head_;
  Head before_;
  bool wrote_ = false;  // rows of other tables were written
  std::vector<Notification> notifications_;
  std::vector<std::string> warnings_;  // about definitions that could not be read
};

}  // namespace tenure::sqlite
