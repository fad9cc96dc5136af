#include "adapters/sqlite/partition.h"

#include <sqlite3.h>

#include <algorithm>

namespace tenure::sqlite {

SqlitePartition::SqlitePartition(Statements& statements, const TimeZones& zones, ResourceId resource,
                                 bool keeps_history)
    : r_{.statements = statements, .zones = zones, .id = resource, .keeps_history = keeps_history} {
  Rows rows = r_.read(
      "SELECT m.schema_version, m.branch, r.commits, r.holder_node, r.holder_life, r.epoch, r.nonce, "
      "r.branch, r.written_us, r.expires_us, r.change_seq, r.outbox_seq, r.history_seq, r.next_node, "
      "r.attempts_us, r.clients_events, r.boot, r.booted_us, r.seen_us, r.hold_since_us, r.hold_jump_ns FROM "
      "tenure_meta m LEFT JOIN tenure_resource r ON r.resource = ?1");
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "tenure_meta is empty"};
  schema_version_ = rows.integer();
  context_.branch = rows.small();
  if (rows.null()) return;
  Head& head = r_.head;
  reference::Lease& lease = head.lease;
  rows.get(head.commits, lease.holder.node, lease.holder.number, lease.epoch, lease.nonce, lease.branch,
           lease.written_at, lease.expires_at, head.change_seq, head.outbox_seq, head.history_seq,
           head.next_node, head.attempts, head.clients_events, written_.boot, written_.booted, written_.now);
  if (!rows.null()) {
    const StoreTime since = rows.time();
    head.hold = reference::Hold{since, Duration::nanos(rows.integer())};
  }
  before_ = head;
}

void SqlitePartition::set_now(const HostTime& now, bool writes) {
  set_now(now.now);
  if (!writes) return;
  if (const auto jump = jump_between(written_, now)) {
    jumped_ = true;
    r_.head.hold = reference::Hold{.since = now.now, .jump = *jump};
  }
  written_ = now;
}

bool SqlitePartition::save() {
  for (const Notification& one : notifications_)
    if (one.what == Notification::What::events_added) ++r_.head.clients_events;
  Head& head = r_.head;
  if (!r_.wrote && head == before_) return false;
  ++head.commits;
  const reference::Lease& lease = head.lease;
  const auto save = [&](auto hold_since, auto hold_jump) {
    r_.write(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq, hold_since_us, hold_jump_ns, history_seq, "
        "next_node, attempts_us, clients_events, boot, booted_us, seen_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
        "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20) ON CONFLICT (resource) DO UPDATE "
        "SET commits = ?2, holder_node = ?3, holder_life = ?4, epoch = ?5, nonce = ?6, branch = ?7, "
        "written_us = ?8, expires_us = ?9, change_seq = ?10, outbox_seq = ?11, hold_since_us = ?12, "
        "hold_jump_ns = ?13, history_seq = ?14, next_node = ?15, attempts_us = ?16, clients_events = ?17, "
        "boot = ?18, booted_us = ?19, seen_us = ?20",
        head.commits, lease.holder.node.value, lease.holder.number, lease.epoch, lease.nonce, lease.branch,
        lease.written_at, lease.expires_at, head.change_seq, head.outbox_seq, hold_since, hold_jump,
        head.history_seq, head.next_node, head.attempts, head.clients_events, written_.boot, written_.booted,
        written_.now);
  };
  if (head.hold)
    save(head.hold->since, head.hold->jump.ns());
  else
    save(nullptr, nullptr);
  return true;
}

reference::ReferenceRules SqlitePartition::rules() {
  return reference::ReferenceRules({r_.head.lease, r_.head.hold, schedules_, segments_, exceptions_, changes_,
                                    payloads_, runs_, outbox_, waiting_, history_, nodes_},
                                   context_);
}

reference::Reply SqlitePartition::apply(const reference::ClearHold& asked) {
  const bool is_leader = !head().lease.denial(asked.holder, asked.token, context_.branch, context_.now);
  // Just now: whoever asks has not seen that.
  if (jumped_ && is_leader) return reference::HoldSet{head().hold};
  return rules().apply(asked);
}

reference::Reply SqlitePartition::apply(const reference::Prune& asked) {
  const std::int64_t limit = asked.limit;
  std::int64_t rows = r_.write(
      "DELETE FROM tenure_exception WHERE resource = ?1 AND (schedule, version, from_us) IN (SELECT "
      "schedule, version, from_us FROM tenure_exception WHERE resource = ?1 AND to_us <= ?2 ORDER BY to_us, "
      "schedule, version, from_us LIMIT ?3)",
      asked.before, limit);
  rows += r_.write(
      "DELETE FROM tenure_change WHERE resource = ?1 AND seq IN (SELECT c.seq FROM tenure_change c WHERE "
      "c.resource = ?1 AND c.ended_us <= ?2 AND c.seq <> ?3 AND NOT EXISTS (SELECT 1 FROM tenure_segment s "
      "WHERE s.resource = ?1 AND s.schedule = c.schedule AND s.version = c.version) ORDER BY c.ended_us, "
      "c.seq LIMIT ?4)",
      asked.before, head().change_seq, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_run WHERE resource = ?1 AND (schedule, run) IN (SELECT schedule, run FROM "
      "tenure_run WHERE resource = ?1 AND asked_us < ?2 ORDER BY asked_us, schedule, run < 0, run LIMIT ?3)",
      asked.before, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_dead WHERE resource = ?1 AND seq IN (SELECT seq FROM tenure_dead WHERE resource = "
      "?1 AND since_us <= ?2 ORDER BY since_us, seq LIMIT ?3)",
      asked.before, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_payload WHERE rowid IN (SELECT p.rowid FROM tenure_payload p WHERE p.resource = ?1 "
      "AND p.last < 4294967295 AND p.ended_us <= ?2 AND NOT EXISTS (SELECT 1 FROM tenure_segment s WHERE "
      "s.resource = ?1 AND s.schedule = p.schedule AND s.version BETWEEN p.version AND p.last) AND "
      "(p.schedule NOT IN (SELECT schedule FROM tenure_outbox WHERE resource = ?1) OR NOT EXISTS (SELECT 1 "
      "FROM tenure_outbox o WHERE o.resource = ?1 AND o.schedule = p.schedule AND o.version BETWEEN "
      "p.version AND p.last)) AND NOT EXISTS (SELECT 1 FROM tenure_waiting w WHERE w.resource = ?1 AND "
      "w.schedule = p.schedule AND w.version BETWEEN p.version AND p.last) AND (p.schedule NOT IN (SELECT "
      "schedule FROM tenure_dead WHERE resource = ?1) OR NOT EXISTS (SELECT 1 FROM tenure_dead d WHERE "
      "d.resource = ?1 AND d.schedule = p.schedule AND d.version BETWEEN p.version AND p.last)) ORDER BY "
      "p.ended_us, p.schedule, p.version LIMIT ?3)",
      asked.before, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_ended WHERE resource = ?1 AND (slot_us, schedule, run) IN (SELECT slot_us, "
      "schedule, run FROM tenure_ended WHERE resource = ?1 AND at_us <= ?2 ORDER BY at_us, schedule, "
      "slot_us, run < 0, run LIMIT ?3)",
      asked.before, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_history WHERE resource = ?1 AND seq < (SELECT coalesce(min(seq), ?4 + 1) FROM "
      "(SELECT seq, at_us FROM tenure_history WHERE resource = ?1 ORDER BY seq LIMIT ?5) WHERE at_us > ?2 "
      "AND seq > ?4 - ?3) AND seq < (SELECT min(seq) FROM tenure_history WHERE resource = ?1) + ?5",
      asked.before, std::min(asked.keep_history, std::uint64_t{INT64_MAX}), head().history_seq, limit - rows);
  rows += r_.write(
      "DELETE FROM tenure_node WHERE resource = ?1 AND node IN (SELECT node FROM tenure_node WHERE resource "
      "= ?1 AND seen_us <= ?2 ORDER BY seen_us, node LIMIT ?3)",
      asked.before, limit - rows);
  std::vector<ScheduleId> finished;
  {
    Rows old = r_.read(
        "SELECT g.schedule FROM tenure_segment g WHERE g.resource = ?1 AND g.cursor_us = 9223372036854775 "
        "AND g.end_us = 9223372036854775 AND max(g.begin_us, g.covered_us) <= ?2 AND NOT EXISTS (SELECT 1 "
        "FROM tenure_segment o WHERE o.resource = ?1 AND o.schedule = g.schedule AND o.version <> g.version) "
        "AND NOT EXISTS (SELECT 1 FROM tenure_waiting w WHERE w.resource = ?1 AND w.schedule = g.schedule) "
        "AND g.schedule NOT IN (SELECT schedule FROM tenure_outbox WHERE resource = ?1) ORDER BY "
        "max(g.begin_us, g.covered_us), g.schedule LIMIT ?3",
        asked.before, limit - rows);
    while (old.next()) finished.push_back({old.small()});
  }
  rules().delete_finished(asked.resource, finished);
  return reference::Pruned{static_cast<std::uint64_t>(rows) + finished.size()};
}

bool SqlitePartition::finds_nothing(const reference::ClaimExecutions& asked) {
  const StoreTime now = context_.now;
  return now >= waiting_.latest_from() && waiting_.timed_out(asked.topic, now, held()).empty() &&
         waiting_.claimable(asked.topic, std::min(asked.max, 1U), now, held()).empty();
}

StoreAudit SqlitePartition::audit() {
  StoreAudit audit{head().lease, {exceptions_.all(), {}}, head().commits};
  Rows rows = r_.read(
      "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE resource = ?1 ORDER "
      "BY schedule, version");
  while (rows.next()) rows.get(audit.ledger.watermarks.emplace_back());
  return audit;
}

}  // namespace tenure::sqlite
