#include "adapters/sqlite/partition.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "core/journal/definition_codec.h"

namespace tenure::sqlite {
namespace {

reference::Segment read_segment(Rows& rows) {
  reference::Segment segment;
  segment.schedule = {rows.small()};
  segment.version = rows.small();
  segment.begin = rows.time();
  segment.end = rows.time();
  segment.cursor = rows.time();
  return segment;
}

// Numbers that clients bring have no sign, and none that was given out is so large.
std::int64_t after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

// One more than is asked for, to see whether there is more.
std::int64_t one_more(std::uint32_t limit) { return std::int64_t{limit} + 1; }

}  // namespace

SqlitePartition::SqlitePartition(Queries& queries, const TimeZones& zones, ResourceId resource)
    : queries_(queries), zones_(zones), resource_(resource) {
  Rows rows = queries_.head.with(resource_);
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "tenure_meta is empty"};
  schema_version_ = rows.integer();
  branch_ = rows.small();
  if (rows.null()) return;
  head_.commits = rows.natural();
  reference::Lease& lease = head_.lease;
  lease.holder.node = {rows.small()};
  lease.holder.number = rows.small();
  lease.epoch = rows.natural();
  lease.nonce = rows.natural();
  lease.branch = rows.small();
  lease.written_at = rows.time();
  lease.expires_at = rows.time();
  head_.change_seq = rows.natural();
  head_.outbox_seq = rows.natural();
  if (!rows.null()) {
    const StoreTime since = rows.time();
    head_.hold = reference::Hold{since, Duration::nanos(rows.integer())};
  }
  before_ = head_;
}

bool SqlitePartition::save() {
  if (!wrote_ && head_ == before_) return false;
  ++head_.commits;
  const reference::Lease& lease = head_.lease;
  const auto save = [&](auto hold_since, auto hold_jump) {
    queries_.save_head.run(resource_, head_.commits, lease.holder.node.value, lease.holder.number,
                           lease.epoch, lease.nonce, lease.branch, lease.written_at, lease.expires_at,
                           head_.change_seq, head_.outbox_seq, hold_since, hold_jump);
  };
  if (head_.hold)
    save(head_.hold->since, head_.hold->jump.ns());
  else
    save(nullptr, nullptr);
  return true;
}

// ---- leases ----------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::Acquire& asked) {
  return head_.lease.acquire(asked, branch_, now_);
}

reference::Reply SqlitePartition::apply(const reference::Renew& asked) {
  return head_.lease.renew(asked, branch_, now_);
}

reference::Reply SqlitePartition::apply(const reference::Release& asked) {
  reference::Reply reply = head_.lease.release(asked, branch_, now_);
  if (std::holds_alternative<reference::Released>(reply))
    notifications_.push_back({Notification::What::lease_freed, resource_});
  return reply;
}

// ---- reads -----------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadDue& asked) {
  reference::Due due;
  due.change_seq = head_.change_seq;
  due.hold = head_.hold;
  due.branch = branch_;
  reference::Segment before;
  before.cursor = StoreTime::min();
  if (asked.after) before = *asked.after;
  const std::int64_t schedule = asked.after ? std::int64_t{before.schedule.value} : -1;
  Rows rows = queries_.due.with(resource_, asked.horizon, before.cursor, schedule, before.version,
                                one_more(asked.limit));
  while (rows.next()) {
    if (due.segments.size() >= asked.limit) {
      due.more = true;
      break;
    }
    due.segments.push_back(read_segment(rows));
  }
  return due;
}

reference::Reply SqlitePartition::apply(const reference::ReadOutbox& asked) {
  reference::Outbox outbox;
  Rows rows = queries_.outbox.with(resource_, after(asked.after), one_more(asked.limit));
  while (rows.next()) {
    if (outbox.events.size() >= asked.limit) {
      outbox.more = true;
      break;
    }
    reference::OutboxEvent event;
    event.seq = rows.natural();
    event.id.schedule = {rows.small()};
    event.id.slot = rows.time();
    event.id.run = rows.natural();
    outbox.events.push_back(event);
  }
  return outbox;
}

reference::Reply SqlitePartition::apply(const reference::ReadDead& asked) {
  reference::Dead dead;
  Rows rows = queries_.dead.with(resource_, after(asked.after), one_more(asked.limit));
  while (rows.next()) {
    if (dead.events.size() >= asked.limit) {
      dead.more = true;
      break;
    }
    reference::DeadEvent event;
    event.seq = rows.natural();
    event.id.schedule = {rows.small()};
    event.id.slot = rows.time();
    event.id.run = rows.natural();
    event.attempts = rows.small();
    event.since = rows.time();
    dead.events.push_back(event);
  }
  return dead;
}

reference::Reply SqlitePartition::apply(const reference::ChangesSince& asked) {
  reference::Changes changes;
  changes.seq = asked.seq;
  changes.hold = head_.hold;
  changes.branch = branch_;
  Rows rows = queries_.changes.with(resource_, after(asked.seq), one_more(asked.limit));
  while (rows.next()) {
    if (changes.changes.size() >= asked.limit) {
      changes.more = true;
      break;
    }
    reference::Change change;
    change.segment = read_segment(rows);
    change.seq = changes.seq = rows.natural();
    change.deleted = rows.flag();
    auto decoded = decode_definition(rows.text(), zones_);
    if (auto* definition = std::get_if<Definition>(&decoded)) {
      change.definition = std::move(*definition);
    } else if (!change.deleted) {
      change.unreadable = true;
      warnings_.push_back(
          warning_of(std::get<CodecError>(decoded), change.segment.schedule, change.segment.version));
    }
    changes.changes.push_back(std::move(change));
  }
  return changes;
}

StoreAudit SqlitePartition::audit() {
  StoreAudit audit{head_.lease, {exceptions(), {}}, head_.commits};
  Rows rows = queries_.watermarks.with(resource_);
  while (rows.next()) audit.ledger.watermarks.push_back(read_segment(rows));
  return audit;
}

}  // namespace tenure::sqlite
