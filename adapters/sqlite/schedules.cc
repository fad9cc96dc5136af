// The tables of schedules: their versions' segments, definitions and payloads, the ledger's exceptions, manual runs.
// And those of the history and of instances.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "adapters/sqlite/tables.h"
#include "adapters/store/payload_codec.h"
#include "adapters/store/slot_search.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/model/describe.h"

namespace tenure::sqlite {
namespace {

// The begin of statements about schedules.
const std::string kSchedule =
    "SELECT schedule, version, change_seq, since_us, deleted, name, pause_actor, pause_why, pause_us FROM "
    "tenure_schedule WHERE resource = ?1 ";
constexpr const char* kSegment =
    "SELECT schedule, version, begin_us, end_us, cursor_us, covered_us, delivery FROM tenure_segment WHERE "
    "resource = ?1 AND schedule = ?2 AND version = ?3";
constexpr const char* kForgetSegment =
    "DELETE FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND version = ?3";

// Those of the ledger.
constexpr std::array<Disposition, 5> kExceptions = {Disposition::coalesced, Disposition::missed,
                                                    Disposition::paused, Disposition::overlapped,
                                                    Disposition::deleted};

Disposition disposition_of(std::string_view word) {
  for (const Disposition one : kExceptions)
    if (name_of(one) == word) return one;
  throw SqliteFailure{SQLITE_CORRUPT, "the ledger says `" + std::string(word) + "`"};
}

}  // namespace

// ---- schedules -------------------------------------------------------------------------------------------

Schedule* SqliteSchedules::find(ScheduleId id) {
  static const std::string kSql = kSchedule + "AND schedule = ?2";
  return read(r_.read(kSql.c_str(), id));
}

Schedule* SqliteSchedules::find(const std::string& name) {
  static const std::string kSql =
      kSchedule + "AND deleted = 0 AND coalesce(name, CAST(schedule AS TEXT)) = ?2";
  return read(r_.read(kSql.c_str(), name));
}

Schedule* SqliteSchedules::read(Rows rows) {
  if (!rows.next()) return nullptr;
  Schedule& schedule = read_.emplace_back();
  auto& [id, version, change_seq, since, deleted, name, pause] = schedule;
  rows.get(id, version, change_seq, since, deleted, name, pause.actor, pause.why, pause.since);
  return &schedule;
}

std::uint32_t SqliteSchedules::largest_number() {
  Rows rows = r_.read("SELECT max(schedule) FROM tenure_schedule WHERE resource = ?1");
  rows.next();
  return rows.small();  // null, which is 0, when there is none
}

Schedule* SqliteSchedules::add(ScheduleId id, const std::string& name) {
  Schedule& schedule = read_.emplace_back();
  schedule.id = id;
  schedule.name = name;
  return &schedule;
}

void SqliteSchedules::save(const Schedule& schedule) {
  r_.write(
      "INSERT INTO tenure_schedule (resource, schedule, version, change_seq, since_us, deleted, name, "
      "pause_actor, pause_why, pause_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, ''), ?8, ?9, ?10) ON "
      "CONFLICT (resource, schedule) DO UPDATE SET version = ?3, change_seq = ?4, since_us = ?5, deleted = "
      "?6, pause_actor = ?8, pause_why = ?9, pause_us = ?10",
      schedule.id, schedule.version, schedule.change_seq, schedule.since, schedule.deleted, schedule.name,
      schedule.pause.actor, schedule.pause.why, schedule.pause.since);
}

// ---- segments --------------------------------------------------------------------------------------------

Segment SqliteSegments::begin(SegmentKey key, StoreTime at, StoreTime covered_until,
                              const Definition& definition) {
  const Segment segment{.schedule = key.schedule,
                        .version = key.version,
                        .begin = at,
                        .end = StoreTime::max(),
                        .cursor = search_slot(definition, at).slot};
  const bool work = definition.delivery.kind == Delivery::Kind::work;
  r_.write(
      "INSERT INTO tenure_segment (resource, schedule, version, begin_us, end_us, cursor_us, covered_us, "
      "delivery) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, ''))",
      segment, covered_until, work ? "" : encode(reference::rules_of(definition)));
  return segment;
}

reference::SegmentRows::Cut SqliteSegments::close(SegmentKey key, StoreTime now,
                                                  const Definition* definition) {
  Segment in_force;
  {
    Rows rows = r_.read(kSegment, key.schedule, key.version);
    if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a schedule without a segment in force"};
    rows.get(in_force);
  }
  const StoreTime covered = covered_until(key.schedule);
  const StoreTime end = std::max(covered, now);
  const StoreTime left =
      definition != nullptr ? search_slot(*definition, in_force.cursor).slot : in_force.cursor;
  if (left < end)
    r_.write("UPDATE tenure_segment SET end_us = ?4 WHERE resource = ?1 AND schedule = ?2 AND version = ?3",
             key.schedule, key.version, end);
  else
    r_.write(kForgetSegment, key.schedule, key.version);
  cut(key.schedule, end);
  return {end, covered};
}

StoreTime SqliteSegments::covered_until(ScheduleId schedule) {
  Rows rows = r_.read(
      "SELECT max(covered_us) FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 HAVING count(*) > 0",
      schedule);
  return rows.next() ? rows.time() : StoreTime{};
}

void SqliteSegments::cut(ScheduleId schedule, StoreTime at) {
  r_.write(
      "UPDATE tenure_segment SET end_us = ?3 WHERE resource = ?1 AND schedule = ?2 AND end_us > ?3 AND "
      "end_us <> ?4",
      schedule, at, StoreTime::max());
  r_.write(
      "DELETE FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND cursor_us >= end_us AND end_us "
      "<> ?3",
      schedule, StoreTime::max());
}

std::vector<std::pair<ScheduleId, StoreTime>> SqliteSegments::draw_back(StoreTime now) {
  std::vector<Segment> begins;
  {
    Rows rows = r_.read(
        "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE resource = ?1 AND "
        "begin_us > ?2 AND end_us = ?3 ORDER BY schedule",
        now, StoreTime::max());
    while (rows.next()) rows.get(begins.emplace_back());
  }
  std::vector<std::pair<ScheduleId, StoreTime>> drawn;
  for (const Segment& in_force : begins) {
    const StoreTime covered = covered_until(in_force.schedule);
    const StoreTime at = std::max(now, covered);
    if (in_force.begin <= at) continue;
    r_.write(
        "UPDATE tenure_segment SET begin_us = ?4, cursor_us = ?4, covered_us = ?5 WHERE resource = ?1 AND "
        "schedule = ?2 AND version = ?3",
        in_force.schedule, in_force.version, at, covered);
    cut(in_force.schedule, at);
    drawn.emplace_back(in_force.schedule, at);
  }
  return drawn;
}

std::vector<Segment> SqliteSegments::remove(ScheduleId schedule) {
  std::vector<Segment> removed;
  {
    Rows rows = r_.read(
        "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE resource = ?1 AND "
        "schedule = ?2 ORDER BY version",
        schedule);
    while (rows.next()) rows.get(removed.emplace_back());
  }
  for (const Segment& segment : removed) r_.write(kForgetSegment, schedule, segment.version);
  return removed;
}

std::optional<DeliveryRules> SqliteSegments::rules(SegmentKey key) {
  Rows rows =
      r_.read("SELECT delivery FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND version = ?3",
              key.schedule, key.version);
  if (!rows.next() || rows.null()) return std::nullopt;
  return decode_rules(rows.text());
}

// The common case, a row in the middle of a segment, is one statement; only where that finds nothing is the segment
// looked at, for its end or for what to say.
RowResult SqliteSegments::cover(const LedgerRow& asked, StoreTime now, std::optional<DeliveryRules>& rules) {
  reference::check_well_formed(asked);
  const StoreTime covered = reference::covered_end(asked);
  const bool due = reference::is_due(asked, now);
  if (due) {
    Rows rows = r_.read(
        "UPDATE tenure_segment SET cursor_us = ?5, covered_us = ?6 WHERE resource = ?1 AND schedule = ?2 AND "
        "version = ?3 AND cursor_us = ?4 AND (end_us > ?5 OR (end_us = ?5 AND ?5 = ?7)) RETURNING delivery",
        asked.schedule, asked.version, asked.from, asked.to, covered, StoreTime::max());
    if (rows.next()) {
      r_.wrote = true;
      if (!rows.null()) rules = decode_rules(rows.text());
      return RowResult::covered;
    }
  }

  Rows rows = r_.read(kSegment, asked.schedule, asked.version);
  if (!rows.next()) return RowResult::no_segment;
  Segment segment;
  rows.get(segment);
  if (segment.cursor != asked.from || segment.end < asked.to) return RowResult::moved;
  if (!due) return RowResult::not_due;
  rows.time();
  if (!rows.null()) rules = decode_rules(rows.text());
  // Drained: the row reaches its end.
  r_.write(kForgetSegment, asked.schedule, asked.version);
  r_.write(
      "UPDATE tenure_segment SET covered_us = max(covered_us, ?3) WHERE resource = ?1 AND schedule = ?2 AND "
      "end_us = ?4",
      asked.schedule, covered, StoreTime::max());
  return RowResult::covered;
}

// ---- the ledger's exceptions -----------------------------------------------------------------------------

void SqliteExceptions::add(const LedgerRow& row) {
  const StoreTime slot = row.what == Disposition::coalesced ? row.slot : StoreTime{};
  {
    Rows rows = r_.read(
        "SELECT from_us, to_us, slot_us, what FROM tenure_exception WHERE resource = ?1 AND schedule = ?2 "
        "AND version = ?3 AND from_us <= ?4 ORDER BY from_us DESC LIMIT 1",
        row.schedule, row.version, row.from);
    if (rows.next()) {
      StoreTime from;
      StoreTime to;
      StoreTime into;
      rows.get(from, to, into);
      if (to == row.from && into == slot && disposition_of(rows.text()) == row.what) {
        r_.write(
            "UPDATE tenure_exception SET to_us = ?5 WHERE resource = ?1 AND schedule = ?2 AND version = ?3 "
            "AND from_us = ?4",
            row.schedule, row.version, from, row.to);
        return;
      }
    }
  }
  r_.write(
      "INSERT INTO tenure_exception (resource, schedule, version, from_us, to_us, slot_us, what) VALUES (?1, "
      "?2, ?3, ?4, ?5, ?6, ?7)",
      row.schedule, row.version, row.from, row.to, slot, name_of(row.what));
}

std::vector<LedgerRow> SqliteExceptions::all() {
  std::vector<LedgerRow> all;
  Rows rows = r_.read(
      "SELECT schedule, version, from_us, to_us, slot_us, what FROM tenure_exception WHERE resource = ?1 "
      "ORDER BY schedule, version, from_us");
  while (rows.next()) {
    LedgerRow& row = all.emplace_back();
    rows.get(row.schedule, row.version, row.from, row.to, row.slot);
    row.what = disposition_of(rows.text());
  }
  return all;
}

// ---- changes ---------------------------------------------------------------------------------------------

std::uint64_t SqliteChanges::append(reference::Change change, reference::LogNote note, std::uint64_t before) {
  const Segment& segment = change.segment;
  const std::string definition = change.deleted ? text(before)
                                 : note.what == reference::LogAction::put
                                     ? encode(change.definition)
                                     : with_paused(text(before), change.definition.paused);
  const std::uint64_t seq = ++r_.head.change_seq;
  r_.write(
      "INSERT INTO tenure_change (resource, seq, schedule, version, begin_us, end_us, cursor_us, deleted, "
      "ended_us, definition, what, actor, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6, ?9, ?10, ?11, "
      "?12)",
      seq, segment, change.deleted, definition, note.what, note.actor, note.why);
  return seq;
}

void SqliteChanges::close(std::uint64_t seq, StoreTime end) {
  r_.write("UPDATE tenure_change SET ended_us = ?3 WHERE resource = ?1 AND seq = ?2", seq, end);
}

const std::string& SqliteChanges::text(std::uint64_t seq) {
  if (read_ == seq) return text_;
  Rows rows = r_.read("SELECT definition FROM tenure_change WHERE resource = ?1 AND seq = ?2", seq);
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a schedule without its definition"};
  read_ = seq;
  text_ = rows.text();
  return text_;
}

const Definition* SqliteChanges::definition(std::uint64_t seq) {
  auto decoded = decode_definition(text(seq), r_.zones);
  auto* const definition = std::get_if<Definition>(&decoded);
  if (definition == nullptr) return nullptr;
  return &definition_.emplace(std::move(*definition));
}

bool SqliteChanges::is(std::uint64_t seq, const Definition& definition) {
  return text(seq) == encode(definition);
}

bool SqliteChanges::is_paused(std::uint64_t seq) { return says_paused(text(seq)); }

// ---- payloads --------------------------------------------------------------------------------------------

const Payload& SqlitePayloads::find(SegmentKey key) {
  read_ = {};
  Rows rows = r_.read(
      "SELECT last, topic, type, data, labels, description FROM tenure_payload WHERE resource = ?1 AND "
      "schedule = ?2 AND version <= ?3 ORDER BY version DESC LIMIT 1",
      key.schedule, key.version);
  if (!rows.next() || key.version > rows.small()) return read_;
  rows.get(read_.topic, read_.type, read_.data);
  read_.labels = decode_labels(rows.text());
  read_.description = rows.text();
  return read_;
}

void SqlitePayloads::put(SegmentKey key, const Payload& payload, StoreTime at) {
  if (find(key) == payload) return;
  close({key.schedule, key.version - 1}, at);
  if (payload == Payload{}) return;
  r_.write(
      "INSERT INTO tenure_payload (resource, schedule, version, topic, type, data, labels, description) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
      key.schedule, key.version, payload.topic, payload.type, payload.data, encode_labels(payload.labels),
      payload.description);
}

void SqlitePayloads::close(SegmentKey key, StoreTime at) {
  r_.write(
      "UPDATE tenure_payload SET last = ?3, ended_us = ?4 WHERE resource = ?1 AND schedule = ?2 AND last = "
      "4294967295",
      key.schedule, key.version, at);
}

// ---- manual runs, the history, instances -----------------------------------------------------------------

std::optional<reference::ManualRun> SqliteRuns::find_or_add(const reference::ManualRun& run) {
  if (r_.write("INSERT INTO tenure_run (resource, schedule, run, asked_us, at_us, digest) VALUES (?1, ?2, "
               "?3, ?4, ?5, ?6) ON CONFLICT (resource, schedule, run) DO NOTHING",
               run.schedule, run.run, run.committed, run.at, run.digest) > 0)
    return std::nullopt;
  reference::ManualRun known = run;
  Rows rows =
      r_.read("SELECT digest, at_us FROM tenure_run WHERE resource = ?1 AND schedule = ?2 AND run = ?3",
              run.schedule, run.run);
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a run that is neither there nor can be added"};
  rows.get(known.digest, known.at);
  return known;
}

void SqliteHistory::append(reference::HistoryRow row) {
  if (!r_.keeps_history) return;
  row.seq = ++r_.head.history_seq;
  r_.write(
      "INSERT INTO tenure_history (resource, seq, schedule, version, what, slot_us, run, from_us, to_us, "
      "slots, at_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
      row);
}

reference::NodeRegistered SqliteNodes::add(const reference::RegisterNode& asked, StoreTime now) {
  {
    Rows rows = r_.read("SELECT node FROM tenure_node WHERE resource = ?1 AND key = ?2", asked.key);
    if (rows.next()) {
      const std::uint32_t known = rows.small();
      r_.write("UPDATE tenure_node SET name = ?3, seen_us = ?4 WHERE resource = ?1 AND node = ?2", known,
               asked.name, now);
      return {{known}};
    }
  }
  CHECK(r_.head.next_node != UINT32_MAX, "four billion instances have registered");
  const std::uint32_t node = r_.head.next_node++;
  r_.write(
      "INSERT INTO tenure_node (resource, node, key, name, since_us, seen_us) VALUES (?1, ?2, ?3, ?4, ?5, "
      "?5)",
      node, asked.key, asked.name, now);
  return {{node}};
}

}  // namespace tenure::sqlite
