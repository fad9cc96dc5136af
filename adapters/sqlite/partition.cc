#include "adapters/sqlite/partition.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
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

SqlitePartition::SqlitePartition(Queries& queries, const TimeZones& zones, ResourceId resource,
                                 bool keeps_history)
    : queries_(queries), zones_(zones), resource_(resource), keeps_history_(keeps_history) {
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
  head_.history_seq = rows.natural();
  head_.next_node = rows.small();
  head_.attempts = rows.time();
  head_.clients_events = rows.natural();
  written_.boot = rows.text();
  written_.booted = rows.time();
  written_.now = rows.time();
  if (!rows.null()) {
    const StoreTime since = rows.time();
    head_.hold = reference::Hold{since, Duration::nanos(rows.integer())};
  }
  before_ = head_;
}

void SqlitePartition::set_now(const HostTime& now, bool writes) {
  now_ = now.now;
  if (!writes) return;
  if (const auto jump = jump_between(written_, now)) {
    jumped_ = true;
    head_.hold = reference::Hold{.since = now_, .jump = *jump};
  }
  written_ = now;
}

bool SqlitePartition::save() {
  if (!wrote_ && head_ == before_) return false;
  ++head_.commits;
  const reference::Lease& lease = head_.lease;
  const auto save = [&](auto hold_since, auto hold_jump) {
    queries_.save_head.run(resource_, head_.commits, lease.holder.node.value, lease.holder.number,
                           lease.epoch, lease.nonce, lease.branch, lease.written_at, lease.expires_at,
                           head_.change_seq, head_.outbox_seq, hold_since, hold_jump, head_.history_seq,
                           head_.next_node, head_.attempts, head_.clients_events, written_.boot,
                           written_.booted, written_.now);
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

reference::Reply SqlitePartition::apply(const reference::ChangesSince& asked) {
  reference::Changes changes;
  changes.seq = asked.seq;
  changes.hold = head_.hold;
  changes.branch = branch_;
  DefinitionDecoder decoder(zones_);
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
    const auto& decoded = decoder.decode(rows.text());
    if (const auto* definition = std::get_if<Definition>(&decoded)) {
      change.definition = *definition;
    } else if (!change.deleted) {
      change.unreadable = true;
      warnings_.push_back(
          warning_of(std::get<CodecError>(decoded), change.segment.schedule, change.segment.version));
    }
    changes.changes.push_back(std::move(change));
  }
  return changes;
}

reference::Reply SqlitePartition::apply(const reference::ReadHistory& asked) {
  reference::HistoryPage page;
  page.branch = branch_;
  page.last = head_.history_seq;
  {
    Rows first = queries_.first_history.with(resource_);
    first.next();
    page.forgotten = first.null() ? page.last : first.natural() - 1;
  }
  const std::int64_t from = asked.after == 0 && asked.newest_first ? INT64_MAX : after(asked.after);
  const std::int64_t schedule = asked.schedule ? std::int64_t{asked.schedule->value} : -1;
  Rows rows = asked.schedule ? (asked.newest_first ? queries_.history_of_back : queries_.history_of)
                                   .with(resource_, from, one_more(asked.limit), schedule)
                             : (asked.newest_first ? queries_.history_back : queries_.history)
                                   .with(resource_, from, one_more(asked.limit));
  while (rows.next()) {
    if (page.rows.size() >= asked.limit) {
      page.more = true;
      break;
    }
    reference::HistoryRow& row = page.rows.emplace_back();
    row.seq = rows.natural();
    row.schedule = {rows.small()};
    row.version = rows.small();
    row.what = static_cast<reference::Disposition>(rows.integer());
    row.slot = rows.time();
    row.run = rows.natural();
    row.from = rows.time();
    row.to = rows.time();
    row.slots = rows.integer();
    row.at = rows.time();
  }
  return page;
}

void SqlitePartition::add_history(const reference::HistoryRow& row) {
  if (!keeps_history_) return;
  queries_.add_history.run(resource_, ++head_.history_seq, row.schedule, row.version,
                           static_cast<std::int64_t>(row.what), row.slot, row.run, row.from, row.to,
                           row.slots, now_);
}

// ---- instances -------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::RegisterNode& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  wrote_ = true;
  std::optional<std::uint32_t> known;
  {
    Rows rows = queries_.node_by_key.with(resource_, asked.key);
    if (rows.next()) known = rows.small();
  }
  if (known) {
    queries_.see_node.run(resource_, *known, asked.name, now_);
    return reference::NodeRegistered{{*known}};
  }
  CHECK(head_.next_node != UINT32_MAX, "four billion instances have registered");
  const std::uint32_t node = head_.next_node++;
  queries_.add_node.run(resource_, node, asked.key, asked.name, now_);
  return reference::NodeRegistered{{node}};
}

reference::Reply SqlitePartition::apply(const reference::ReadNodes&) {
  reference::RegisteredNodes nodes;
  Rows rows = queries_.nodes.with(resource_);
  while (rows.next()) {
    reference::RegisteredNode& node = nodes.nodes.emplace_back();
    node.node = {rows.small()};
    node.name = rows.text();
    node.since = rows.time();
    node.seen = rows.time();
  }
  return nodes;
}

StoreAudit SqlitePartition::audit() {
  StoreAudit audit{head_.lease, {exceptions(), {}}, head_.commits};
  Rows rows = queries_.watermarks.with(resource_);
  while (rows.next()) audit.ledger.watermarks.push_back(read_segment(rows));
  return audit;
}

}  // namespace tenure::sqlite
