// A resource of the reference store in SQLite, during one transaction. What becomes of a request that writes, the rules
// of the reference store say (core/store/reference/rules.h), over tables that are SQLite's (tables.h). Reads are in
// reads.cc.
//
// Thread rule: as Connection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/sqlite/host_time.h"
#include "adapters/sqlite/tables.h"
#include "adapters/store/store_backend.h"
#include "core/store/reference/rules.h"

namespace tenure::sqlite {

class SqlitePartition {
 public:
  // Reads the resource's row. REQUIRES: a transaction is open.
  SqlitePartition(Statements& statements, const TimeZones& zones, ResourceId resource, bool keeps_history);

  std::int64_t schema_version() const { return schema_version_; }
  // Call between the constructor and apply(): the clock is read after the locks are taken.
  void set_now(StoreTime now) { context_.now = now; }
  // The same, by the host's clock. If that has jumped since the resource was last written, a request that writes holds
  // firing, as a leader does that sees the clock jump.
  void set_now(const HostTime& now, bool writes);

  reference::Reply apply(const auto& asked) { return rules().apply(asked); }
  reference::Reply apply(const reference::ClearHold& asked);
  reference::Reply apply(const reference::Prune& asked);

  reference::Reply apply(const reference::ReadNamed& asked);
  reference::Reply apply(const reference::ListNamed& asked);
  reference::Reply apply(const reference::ReadPayloads& asked);
  reference::Reply apply(const reference::ReadLog& asked);
  reference::Reply apply(const reference::ReadWaiting& asked);
  reference::Reply apply(const reference::ReadDepths& asked);
  reference::Reply apply(const reference::ReadDue& asked);
  reference::Reply apply(const reference::ReadOutbox& asked);
  reference::Reply apply(const reference::ReadDead& asked);
  reference::Reply apply(const reference::ChangesSince& asked);
  reference::Reply apply(const reference::ReadHistory& asked);
  reference::Reply apply(const reference::ReadNodes& asked);

  // The claim would hand out nothing, and change nothing. Only reads.
  bool finds_nothing(const reference::ClaimExecutions& asked);

  StoreAudit audit();
  // Writes the resource's row, if anything was changed: true. Call last, before the commit.
  bool save();

  std::uint64_t position() const { return head().commits; }
  std::vector<Notification> take_notifications() { return std::move(notifications_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  reference::ReferenceRules rules();
  reference::NamedSchedule read_named(Rows& rows, bool with_data);
  const Head& head() const { return r_.head; }
  bool held() const { return head().hold.has_value(); }

  Resource r_;
  Head before_;
  std::int64_t schema_version_ = 0;
  HostTime written_;  // when the resource was written last, and how the clock stood; then: now
  bool jumped_ = false;
  std::vector<Notification> notifications_;
  std::vector<std::string> warnings_;  // about definitions that could not be read
  reference::Context context_{.now = {}, .branch = 0, .notifications = notifications_};

  SqliteSchedules schedules_{r_};
  SqliteSegments segments_{r_};
  SqliteExceptions exceptions_{r_};
  SqliteChanges changes_{r_};
  SqlitePayloads payloads_{r_};
  SqliteRuns runs_{r_};
  SqliteOutbox outbox_{r_};
  SqliteWaiting waiting_{r_};
  SqliteHistory history_{r_};
  SqliteNodes nodes_{r_};
};

}  // namespace tenure::sqlite
