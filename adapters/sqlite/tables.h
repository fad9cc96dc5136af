// The tables of a resource in SQLite, as the rules of the reference store see them (core/store/reference/rules.h): a
// function here is a statement or two. What they do is said there; the columns are those of schema.sql.
//
// Rows that functions return pointers to are kept until the request is done.
//
// Thread rule: as Connection.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqlite/statement.h"
#include "core/schedule/time_zone.h"
#include "core/store/reference/fields.h"
#include "core/store/reference/tables.h"

namespace tenure::sqlite {

using reference::DeliveryRules;
using reference::Disposition;
using reference::EventId;
using reference::LedgerRow;
using reference::Payload;
using reference::RowResult;
using reference::Schedule;
using reference::Segment;
using reference::SegmentKey;
using reference::WaitingRow;

// All that a resource has only once: it is read at the begin and written at the end, in one row.
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

// A resource during one transaction.
struct Resource {
  Statements& statements;
  const TimeZones& zones;
  const ResourceId id;
  const bool keeps_history;
  Head head = {};
  bool wrote = false;  // rows were written

  // Statements, with the resource as the first value (and `sql` as Statements says). write() returns how many rows were
  // changed.
  template <class... Values>
  Rows read(const char* sql, const Values&... values) {
    return statements[sql].with(id, values...);
  }
  template <class... Values>
  std::int64_t write(const char* sql, const Values&... values) {
    const std::int64_t changed = statements[sql].run(id, values...);
    if (changed > 0) wrote = true;
    return changed;
  }
};

// The begin of statements whose rows are read_waiting()'s.
inline const std::string kWaiting =
    "SELECT seq, schedule, slot_us, run, version, name, delivery, at_us, attempt, nonce, claimed, cancelled, "
    "from_us, until_us, worker, why, released FROM tenure_waiting ";

WaitingRow read_waiting(Rows& rows);

class SqliteSchedules final : public reference::ScheduleRows {
 public:
  explicit SqliteSchedules(Resource& resource) : r_(resource) {}
  Schedule* find(ScheduleId id) override;
  Schedule* find(const std::string& name) override;
  std::uint32_t largest_number() override;
  Schedule* add(ScheduleId id, const std::string& name) override;
  void save(const Schedule& schedule) override;

 private:
  Schedule* read(Rows rows);
  Resource& r_;
  std::deque<Schedule> read_;
};

class SqliteSegments final : public reference::SegmentRows {
 public:
  explicit SqliteSegments(Resource& resource) : r_(resource) {}
  Segment begin(SegmentKey key, StoreTime at, StoreTime covered_until, const Definition& definition) override;
  Cut close(SegmentKey key, StoreTime now, const Definition* definition) override;
  std::vector<std::pair<ScheduleId, StoreTime>> draw_back(StoreTime now) override;
  std::vector<Segment> remove(ScheduleId schedule) override;
  RowResult cover(const LedgerRow& row, StoreTime now, std::optional<DeliveryRules>& rules) override;
  std::optional<DeliveryRules> rules(SegmentKey key) override;

 private:
  // What any version of the schedule has covered.
  StoreTime covered_until(ScheduleId schedule);
  // Makes all closed segments of the schedule end at `at` at the latest.
  void cut(ScheduleId schedule, StoreTime at);
  Resource& r_;
};

class SqliteExceptions final : public reference::ExceptionRows {
 public:
  explicit SqliteExceptions(Resource& resource) : r_(resource) {}
  void add(const LedgerRow& row) override;
  std::vector<LedgerRow> all();

 private:
  Resource& r_;
};

class SqliteChanges final : public reference::ChangeRows {
 public:
  explicit SqliteChanges(Resource& resource) : r_(resource) {}
  std::uint64_t append(reference::Change change, reference::LogNote note, std::uint64_t before) override;
  void close(std::uint64_t seq, StoreTime end) override;
  const Definition* definition(std::uint64_t seq) override;
  bool is(std::uint64_t seq, const Definition& definition) override;
  bool is_paused(std::uint64_t seq) override;

 private:
  const std::string& text(std::uint64_t seq);
  Resource& r_;
  std::uint64_t read_ = 0;  // the last one that was read; 0: none
  std::string text_;        // and its definition
  std::optional<Definition> definition_;
};

class SqlitePayloads final : public reference::PayloadRows {
 public:
  explicit SqlitePayloads(Resource& resource) : r_(resource) {}
  void put(SegmentKey key, const Payload& payload, StoreTime at) override;
  void close(SegmentKey key, StoreTime at) override;
  const Payload& find(SegmentKey key) override;

 private:
  Resource& r_;
  Payload read_;
};

class SqliteRuns final : public reference::RunRows {
 public:
  explicit SqliteRuns(Resource& resource) : r_(resource) {}
  std::optional<reference::ManualRun> find_or_add(const reference::ManualRun& run) override;

 private:
  Resource& r_;
};

class SqliteOutbox final : public reference::OutboxRows {
 public:
  explicit SqliteOutbox(Resource& resource) : r_(resource) {}
  std::uint64_t last() const override { return r_.head.outbox_seq; }
  void take_number() override { ++r_.head.outbox_seq; }
  bool add(const EventId& id, std::uint32_t version, StoreTime now) override;
  void acknowledge(const EventId& id) override;
  bool give_up(const reference::DeadEvent& dead, StoreTime now) override;
  void keep_dead(reference::DeadEntry dead) override;
  std::optional<reference::DeadEntry> take_dead(const EventId& id) override;
  bool discard(const EventId& id, const reference::Discard& discard) override;

 private:
  Resource& r_;
};

class SqliteWaiting final : public reference::WaitingRows {
 public:
  explicit SqliteWaiting(Resource& resource) : r_(resource) {}
  bool add(WaitingRow row) override;
  void save(const WaitingRow& row) override;
  WaitingRow take(WaitingRow& row) override;
  WaitingRow* find(const EventId& id) override;
  std::vector<WaitingRow*> of(ScheduleId schedule) override;
  std::size_t count(ScheduleId schedule) override;

  StoreTime latest_from() const override { return r_.head.attempts; }
  void count_again(StoreTime now, bool all) override;
  std::vector<WaitingRow*> timed_out(const std::string& topic, StoreTime now, bool held) override;
  void for_claimable(const reference::ClaimExecutions& asked, StoreTime now, bool held,
                     const std::function<void(WaitingRow&)>& hand_out) override;
  // In the order of numbers.
  std::vector<WaitingRow> claimable(const std::string& topic, std::uint32_t max, StoreTime now, bool held);

  void remember(const EventId& id, const reference::Ended& ended) override;
  std::optional<reference::Ended> ended(const EventId& id) override;

 private:
  bool is_first(ScheduleId schedule, std::int64_t seq);  // of those that wait
  bool is_kept_waiting(ScheduleId schedule, std::int64_t seq, StoreTime now, bool held);
  WaitingRow* keep(Rows& rows) { return &read_.emplace_back(read_waiting(rows)); }
  Resource& r_;
  std::deque<WaitingRow> read_;
};

class SqliteHistory final : public reference::HistoryRows {
 public:
  explicit SqliteHistory(Resource& resource) : r_(resource) {}
  void append(reference::HistoryRow row) override;

 private:
  Resource& r_;
};

class SqliteNodes final : public reference::NodeRows {
 public:
  explicit SqliteNodes(Resource& resource) : r_(resource) {}
  reference::NodeRegistered add(const reference::RegisterNode& asked, StoreTime now) override;

 private:
  Resource& r_;
};

}  // namespace tenure::sqlite
