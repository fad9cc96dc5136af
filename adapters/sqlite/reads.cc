// What clients read.
#include <algorithm>

#include "adapters/sqlite/partition.h"
#include "adapters/store/payload_codec.h"
#include "core/journal/definition_codec.h"

namespace tenure::sqlite {
namespace {

const std::string kWaitingNamed =
    kWaiting + "WHERE resource = ?1 AND kind = ?2 AND name = ?3 AND seq > ?4 ORDER BY seq LIMIT ?5";
const std::string kWaitingKind =
    kWaiting +
    "INDEXED BY tenure_waiting_kind WHERE resource = ?1 AND kind = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4";

// The begins of statements that read the same columns.
const std::string kRows =
    "SELECT seq, schedule, version, what, slot_us, run, from_us, to_us, slots, at_us FROM tenure_history "
    "WHERE resource = ?1 ";
const std::string kHistory = kRows + "AND seq > ?2 ORDER BY seq LIMIT ?3";
const std::string kHistoryBack = kRows + "AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
const std::string kHistoryOf = kRows + "AND schedule = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3";
const std::string kHistoryOfBack = kRows + "AND schedule = ?4 AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
const std::string kNamed =
    "SELECT coalesce(s.name, CAST(s.schedule AS TEXT)), s.schedule, s.version, s.since_us, s.pause_actor, "
    "s.pause_why, s.pause_us, max(g.begin_us, g.covered_us), d.definition FROM tenure_schedule s JOIN "
    "tenure_change d ON d.resource = s.resource AND d.seq = s.change_seq JOIN tenure_segment g ON g.resource "
    "= s.resource AND g.schedule = s.schedule AND g.version = s.version WHERE s.resource = ?1 AND s.deleted "
    "= 0 AND coalesce(s.name, CAST(s.schedule AS TEXT)) ";
const std::string kReadNamed = kNamed + "= ?2";
const std::string kListNamed = kNamed + "> ?2 ORDER BY coalesce(s.name, CAST(s.schedule AS TEXT)) LIMIT ?3";

// Numbers that clients bring have no sign, and none that was given out is so large.
std::int64_t after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

std::int64_t one_more(std::uint32_t limit) { return std::int64_t{limit} + 1; }

// Rows as a page, of one more than `limit`. Returns whether there is more. `read` adds a row to it; without, a row is a
// struct, column by column.
template <class Page, class Read>
bool fill(Page& page, std::uint32_t limit, Rows rows, const Read& read) {
  while (rows.next()) {
    if (page.size() >= limit) return true;
    read(rows);
  }
  return false;
}
template <class Page>
bool fill(Page& page, std::uint32_t limit, Rows rows) {
  while (rows.next()) {
    if (page.size() >= limit) return true;
    rows.get(page.emplace_back());
  }
  return false;
}

reference::Depth read_depth(Rows rows) {
  reference::Depth depth;
  rows.next();
  depth.events = rows.natural();
  if (depth.events > 0) depth.oldest = rows.time();
  return depth;
}

}  // namespace

// ---- for leaders -----------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadDue& asked) {
  reference::Due due;
  due.change_seq = head().change_seq;
  due.hold = head().hold;
  due.branch = context_.branch;
  Segment before;
  before.cursor = StoreTime::min();
  if (asked.after) before = *asked.after;
  const std::int64_t schedule = asked.after ? std::int64_t{before.schedule.value} : -1;
  due.more = fill(due.segments, asked.limit,
                  r_.read("SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE "
                          "resource = ?1 AND cursor_us < ?2 AND (cursor_us, schedule, version) > (?3, ?4, "
                          "?5) ORDER BY cursor_us, schedule, version LIMIT ?6",
                          asked.horizon, before.cursor, schedule, before.version, one_more(asked.limit)));
  return due;
}

reference::Reply SqlitePartition::apply(const reference::ChangesSince& asked) {
  reference::Changes changes;
  changes.seq = asked.seq;
  changes.hold = head().hold;
  changes.branch = context_.branch;
  DefinitionDecoder decoder(r_.zones);
  const auto read = [&](Rows& rows) {
    reference::Change change;
    rows.get(change.segment, change.seq, change.deleted);
    changes.seq = change.seq;
    const auto& decoded = decoder.decode(rows.text());
    if (const auto* definition = std::get_if<Definition>(&decoded)) {
      change.definition = *definition;
    } else if (!change.deleted) {
      change.unreadable = true;
      warnings_.push_back(
          warning_of(std::get<CodecError>(decoded), change.segment.schedule, change.segment.version));
    }
    changes.changes.push_back(std::move(change));
  };
  changes.more =
      fill(changes.changes, asked.limit,
           r_.read("SELECT schedule, version, begin_us, end_us, cursor_us, seq, deleted, definition FROM "
                   "tenure_change WHERE resource = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
                   after(asked.seq), one_more(asked.limit)),
           read);
  return changes;
}

reference::Reply SqlitePartition::apply(const reference::ReadOutbox& asked) {
  reference::Outbox outbox;
  outbox.more = fill(outbox.events, asked.limit,
                     r_.read("SELECT seq, schedule, slot_us, run FROM tenure_outbox WHERE resource = ?1 AND "
                             "seq > ?2 ORDER BY seq LIMIT ?3",
                             after(asked.after), one_more(asked.limit)));
  outbox.push_waits = r_.read(kWaitingKind.c_str(), Delivery::Kind::push, after(0), std::int64_t{1}).next();
  return outbox;
}

reference::Reply SqlitePartition::apply(const reference::ReadDead& asked) {
  reference::Dead dead;
  const char* const sql =
      asked.discarded
          ? "SELECT schedule, slot_us, run, attempts, seq, since_us, why, discarded_by, discarded_us FROM "
            "tenure_dead WHERE resource = ?1 AND seq > ?2 AND discarded_us IS NOT NULL ORDER BY seq LIMIT ?3"
          : "SELECT schedule, slot_us, run, attempts, seq, since_us, why FROM tenure_dead WHERE resource = "
            "?1 AND seq > ?2 AND discarded_us IS NULL ORDER BY seq LIMIT ?3";
  const auto read = [&](Rows& rows) {
    rows.get(dead.events.emplace_back());
    if (asked.discarded) rows.get(dead.discards.emplace_back());
  };
  dead.more = fill(dead.events, asked.limit, r_.read(sql, after(asked.after), one_more(asked.limit)), read);
  return dead;
}

reference::Reply SqlitePartition::apply(const reference::ReadWaiting& asked) {
  reference::WaitingEvents events;
  const std::int64_t seq = after(asked.after);
  const std::int64_t limit = one_more(asked.limit);
  const auto read = [&](Rows& rows) {
    WaitingRow row = read_waiting(rows);
    events.events.push_back({.seq = row.seq,
                             .id = row.id,
                             .version = row.version,
                             .name = std::move(row.name),
                             .at = row.at,
                             .attempt = row.attempt.number,
                             .claimed = row.attempt.stands(context_.now, held()),
                             .until = row.attempt.until,
                             .worker = std::move(row.worker),
                             .delivery = std::move(row.rules.delivery)});
  };
  events.more = fill(events.events, asked.limit,
                     asked.name ? r_.read(kWaitingNamed.c_str(), asked.kind, *asked.name, seq, limit)
                                : r_.read(kWaitingKind.c_str(), asked.kind, seq, limit),
                     read);
  return events;
}

// ---- for people ------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadDepths& asked) {
  const auto waiting = [this](Delivery::Kind kind) {
    return read_depth(
        r_.read("SELECT count(*), (SELECT at_us FROM tenure_waiting INDEXED BY tenure_waiting_kind WHERE "
                "resource = ?1 AND kind = ?2 ORDER BY seq LIMIT 1) FROM (SELECT 1 FROM tenure_waiting "
                "INDEXED BY tenure_waiting_kind WHERE resource = ?1 AND kind = ?2 LIMIT ?3)",
                kind, reference::kCounted));
  };
  reference::Depths depths{
      .work =
          read_depth(r_.read("SELECT count(*), (SELECT at_us FROM tenure_outbox WHERE resource = ?1 ORDER BY "
                             "seq LIMIT 1) FROM (SELECT 1 FROM tenure_outbox WHERE resource = ?1 LIMIT ?2)",
                             reference::kCounted)),
      .pull = waiting(Delivery::Kind::pull),
      .push = waiting(Delivery::Kind::push),
      .dead = read_depth(r_.read("SELECT count(*), (SELECT since_us FROM tenure_dead WHERE resource = ?1 AND "
                                 "discarded_us IS NULL ORDER BY seq LIMIT 1) FROM (SELECT 1 FROM tenure_dead "
                                 "WHERE resource = ?1 AND discarded_us IS NULL LIMIT ?2)",
                                 reference::kCounted))};
  if (asked.ahead) {
    Rows rows = r_.read(
        "SELECT count(*), coalesce(max(max(begin_us, covered_us)), 0) FROM tenure_segment WHERE resource = "
        "?1 AND end_us = ?2 AND max(begin_us, covered_us) > ?3",
        StoreTime::max(), context_.now + kStoreResolution);
    rows.next();
    rows.get(depths.ahead, depths.ahead_until);
  }
  return depths;
}

reference::Reply SqlitePartition::apply(const reference::ReadHistory& asked) {
  reference::HistoryPage page;
  page.branch = context_.branch;
  page.last = head().history_seq;
  {
    Rows first = r_.read("SELECT min(seq) FROM tenure_history WHERE resource = ?1");
    first.next();
    page.forgotten = first.null() ? page.last : first.natural() - 1;
  }
  const std::int64_t from = asked.after == 0 && asked.newest_first ? INT64_MAX : after(asked.after);
  const std::int64_t limit = one_more(asked.limit);
  const auto rows = [&](const char* all, const char* of_schedule) {
    return asked.schedule ? r_.read(of_schedule, from, limit, *asked.schedule) : r_.read(all, from, limit);
  };
  page.more = fill(page.rows, asked.limit,
                   asked.newest_first ? rows(kHistoryBack.c_str(), kHistoryOfBack.c_str())
                                      : rows(kHistory.c_str(), kHistoryOf.c_str()));
  return page;
}

reference::Reply SqlitePartition::apply(const reference::ReadLog& asked) {
  reference::Log log;
  log.more = fill(log.entries, asked.limit,
                  r_.read("SELECT x.seq, coalesce(s.name, CAST(s.schedule AS TEXT)), x.schedule, x.version, "
                          "CASE WHEN x.deleted THEN 3 ELSE x.what END, x.actor, x.why, x.begin_us FROM "
                          "tenure_change x JOIN tenure_schedule s ON s.resource = x.resource AND s.schedule "
                          "= x.schedule WHERE x.resource = ?1 AND x.seq > ?2 ORDER BY x.seq LIMIT ?3",
                          after(asked.after), one_more(asked.limit)));
  return log;
}

reference::Reply SqlitePartition::apply(const reference::ReadNodes&) {
  reference::RegisteredNodes nodes;
  Rows rows =
      r_.read("SELECT node, name, since_us, seen_us FROM tenure_node WHERE resource = ?1 ORDER BY node");
  while (rows.next()) rows.get(nodes.nodes.emplace_back());
  return nodes;
}

// ---- by name ---------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadNamed& asked) {
  reference::NamedSchedules read;
  Rows rows = r_.read(kReadNamed.c_str(), asked.name);
  if (rows.next()) read.schedules.push_back(read_named(rows, true));
  return read;
}

reference::Reply SqlitePartition::apply(const reference::ListNamed& asked) {
  reference::NamedSchedules list;
  list.more =
      fill(list.schedules, asked.limit, r_.read(kListNamed.c_str(), asked.after, one_more(asked.limit)),
           [&](Rows& rows) { list.schedules.push_back(read_named(rows, false)); });
  return list;
}

reference::NamedSchedule SqlitePartition::read_named(Rows& rows, bool with_data) {
  reference::NamedSchedule read;
  reference::Pause pause;
  std::string text;
  rows.get(read.name, read.edition, read.since, pause, read.covered, text);
  if (says_paused(text)) read.pause = pause;
  auto decoded = decode_definition(text, r_.zones);
  if (auto* definition = std::get_if<Definition>(&decoded)) {
    read.definition = std::move(*definition);
  } else {
    read.unreadable = true;
    warnings_.push_back(
        warning_of(std::get<CodecError>(decoded), read.edition.schedule, read.edition.version));
  }
  read.payload = payloads_.find({read.edition.schedule, read.edition.version});
  if (!with_data) read.payload.data.clear();
  return read;
}

reference::Reply SqlitePartition::apply(const reference::ReadPayloads& asked) {
  reference::Payloads payloads;
  for (const EventId& id : asked.events) {
    reference::EventPayload& given = payloads.events.emplace_back();
    given.event = id;
    if (const WaitingRow* const waiting = waiting_.find(id)) {
      given.found = true;
      given.version = waiting->version;
    }
    for (const char* const sql : {"SELECT version FROM tenure_outbox WHERE resource = ?1 AND schedule = ?2 "
                                  "AND slot_us = ?3 AND run = ?4",
                                  "SELECT max(version) FROM tenure_dead WHERE resource = ?1 AND schedule = "
                                  "?2 AND slot_us = ?3 AND run = ?4 HAVING count(*) > 0"}) {
      if (given.found) break;
      Rows rows = r_.read(sql, id);
      given.found = rows.next();
      if (given.found) given.version = rows.small();
    }
    if (!given.found) continue;
    given.name = schedules_.find(id.schedule)->called();
    given.payload = payloads_.find({id.schedule, given.version});
  }
  return payloads;
}

}  // namespace tenure::sqlite
