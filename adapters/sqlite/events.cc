// The tables of events: the outbox, the dead, and those that wait. What a claim may hand out is in claims.cc.
#include <utility>

#include "adapters/sqlite/tables.h"
#include "core/journal/definition_codec.h"

namespace tenure::sqlite {

WaitingRow read_waiting(Rows& rows) {
  WaitingRow row;
  rows.get(row.seq, row.id, row.version, row.name);
  row.rules = decode_rules(rows.text());
  auto& [number, nonce, claimed, cancelled, from, until, released] = row.attempt;
  rows.get(row.at, number, nonce, claimed, cancelled, from, until, row.worker, row.why, released);
  return row;
}

// ---- the outbox, and the dead ----------------------------------------------------------------------------

// One that waits already is the same event, and takes no number.
bool SqliteOutbox::add(const EventId& id, std::uint32_t version, StoreTime now) {
  const std::uint64_t seq = last() + 1;
  if (r_.write("INSERT INTO tenure_outbox (resource, seq, schedule, slot_us, run, version, at_us) VALUES "
               "(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING",
               seq, id, version, now) != 1)
    return false;
  take_number();
  return true;
}

void SqliteOutbox::acknowledge(const EventId& id) {
  r_.write("DELETE FROM tenure_outbox WHERE resource = ?1 AND schedule = ?2 AND slot_us = ?3 AND run = ?4",
           id);
}

bool SqliteOutbox::give_up(const reference::DeadEvent& dead, StoreTime now) {
  const EventId& id = dead.id;
  if (r_.write("INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, "
               "why) SELECT resource, seq, slot_us, schedule, run, ?5, ?6, version, ?7 FROM tenure_outbox "
               "WHERE resource = ?1 AND schedule = ?2 AND slot_us = ?3 AND run = ?4 AND ?8 IN (0, seq)",
               id, dead.attempts, now, dead.why, dead.seq) == 0)
    return false;
  acknowledge(id);
  return true;
}

void SqliteOutbox::keep_dead(reference::DeadEntry dead) {
  const auto& [id, attempts, seq, since, why] = dead.event;
  r_.write(
      "INSERT INTO tenure_dead (resource, seq, schedule, slot_us, run, attempts, since_us, version, name, "
      "delivery, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
      seq, id, attempts, since, dead.version, dead.waiting->name, encode(dead.waiting->rules), why);
}

std::optional<reference::DeadEntry> SqliteOutbox::take_dead(const EventId& id) {
  reference::DeadEntry dead;
  {
    Rows rows = r_.read(
        "SELECT version, attempts, name, delivery FROM tenure_dead WHERE resource = ?1 AND schedule = ?2 AND "
        "slot_us = ?3 AND run = ?4 ORDER BY version DESC, seq DESC LIMIT 1",
        id);
    if (!rows.next()) return std::nullopt;
    std::string name;
    rows.get(dead.version, dead.event.attempts, name);
    if (!rows.null()) dead.waiting = {name, decode_rules(rows.text())};
  }
  r_.write("DELETE FROM tenure_dead WHERE resource = ?1 AND schedule = ?2 AND slot_us = ?3 AND run = ?4", id);
  return dead;
}

bool SqliteOutbox::discard(const EventId& id, const reference::Discard& discard) {
  return r_.write(
             "UPDATE tenure_dead SET discarded_us = ?5, discarded_by = ?6 WHERE resource = ?1 AND schedule = "
             "?2 AND slot_us = ?3 AND run = ?4 AND discarded_us IS NULL",
             id, discard.at, discard.actor) > 0;
}

// ---- those that wait -------------------------------------------------------------------------------------

bool SqliteWaiting::add(WaitingRow row) {
  const EventId& id = row.id;
  if (r_.write("INSERT INTO tenure_waiting (resource, seq, schedule, slot_us, run, version, kind, name, "
               "delivery, at_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (resource, "
               "slot_us, schedule, run) DO NOTHING",
               row.seq, id, row.version, row.rules.delivery.kind, row.name, encode(row.rules), row.at) != 1)
    return false;
  if (row.attempt.number != 0) save(row);
  return true;
}

void SqliteWaiting::save(const WaitingRow& row) {
  const auto& [number, nonce, claimed, cancelled, from, until, released] = row.attempt;
  r_.write(
      "UPDATE tenure_waiting SET attempt = ?3, nonce = ?4, claimed = ?5, cancelled = ?6, from_us = ?7, "
      "until_us = ?8, worker = ?9, why = ?10, released = ?11 WHERE resource = ?1 AND seq = ?2",
      row.seq, number, nonce, claimed, cancelled, from, until, row.worker, row.why, released);
  r_.head.attempts = std::max(r_.head.attempts, from);
}

WaitingRow SqliteWaiting::take(WaitingRow& row) {
  r_.write("DELETE FROM tenure_waiting WHERE resource = ?1 AND seq = ?2", row.seq);
  return std::move(row);
}

WaitingRow* SqliteWaiting::find(const EventId& id) {
  static const std::string kSql =
      kWaiting + "WHERE resource = ?1 AND schedule = ?2 AND slot_us = ?3 AND run = ?4";
  Rows rows = r_.read(kSql.c_str(), id);
  return rows.next() ? keep(rows) : nullptr;
}

std::vector<WaitingRow*> SqliteWaiting::of(ScheduleId schedule) {
  std::vector<WaitingRow*> all;
  static const std::string kSql = kWaiting + "WHERE resource = ?1 AND schedule = ?2 ORDER BY seq";
  Rows rows = r_.read(kSql.c_str(), schedule);
  while (rows.next()) all.push_back(keep(rows));
  return all;
}

std::size_t SqliteWaiting::count(ScheduleId schedule) {
  Rows rows = r_.read(
      "SELECT count(*) FROM (SELECT 1 FROM tenure_waiting WHERE resource = ?1 AND schedule = ?2 LIMIT 2)",
      schedule);
  rows.next();
  return rows.small();
}

void SqliteWaiting::count_again(StoreTime now, bool all) {
  const std::int64_t counted =
      all ? r_.write(
                "UPDATE tenure_waiting SET until_us = ?2 + until_us - from_us, from_us = ?2 WHERE resource = "
                "?1 AND attempt > 0 AND (claimed OR from_us > ?2)",
                now)
          : r_.write(
                "UPDATE tenure_waiting SET until_us = ?2 + until_us - from_us, from_us = ?2 WHERE resource = "
                "?1 AND attempt > 0 AND from_us > ?2",
                now);
  if (counted > 0 || r_.head.attempts > now) r_.head.attempts = now;
}

std::vector<WaitingRow*> SqliteWaiting::timed_out(const std::string& topic, StoreTime now, bool held) {
  std::vector<WaitingRow*> over;
  static const std::string kSql = kWaiting +
                                  "INDEXED BY tenure_waiting_tried WHERE resource = ?1 AND name = ?2 AND "
                                  "attempt > 0 AND claimed = 1 AND NOT ?3 AND until_us <= ?4 ORDER BY seq";
  Rows rows = r_.read(kSql.c_str(), topic, held, now);
  while (over.size() < reference::kSettledAtOnce && rows.next()) {
    WaitingRow* const row = keep(rows);
    if (row->is_last()) over.push_back(row);
  }
  return over;
}

void SqliteWaiting::remember(const EventId& id, const reference::Ended& ended) {
  r_.write(
      "INSERT INTO tenure_ended (resource, schedule, slot_us, run, attempt, nonce, how, at_us) VALUES (?1, "
      "?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (resource, slot_us, schedule, run) DO UPDATE SET attempt = "
      "?5, nonce = ?6, how = ?7, at_us = ?8",
      id, ended.attempt, ended.nonce, ended.how, ended.at);
}

std::optional<reference::Ended> SqliteWaiting::ended(const EventId& id) {
  Rows rows = r_.read(
      "SELECT attempt, nonce, how FROM tenure_ended WHERE resource = ?1 AND schedule = ?2 AND slot_us = ?3 "
      "AND run = ?4",
      id);
  if (!rows.next()) return std::nullopt;
  reference::Ended ended;
  rows.get(ended.attempt, ended.nonce, ended.how);
  return ended;
}

}  // namespace tenure::sqlite
