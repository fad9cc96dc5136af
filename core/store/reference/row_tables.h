// The reference store's smaller tables (tables.h), in memory. Those of segments, of the outbox and of what waits have
// files of their own.
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"
#include "core/store/reference/waiting.h"

namespace tenure::reference {

// The schedules, by number and by name, and their manual runs.
class ScheduleIndex final : public ScheduleRows {
 public:
  Schedule* find(ScheduleId id) override;
  Schedule* find(const std::string& name) override;
  std::uint32_t largest_number() override { return rows_.empty() ? 0 : rows_.rbegin()->first.value; }
  Schedule* add(ScheduleId id, const std::string& name) override;
  void save(const Schedule& schedule) override;

  // Tombstones included.
  const std::map<ScheduleId, Schedule>& all() const { return rows_; }
  void hash(auto& sink) const { fold(sink, rows_); }

 private:
  std::map<ScheduleId, Schedule> rows_;
  std::map<std::string, ScheduleId> names_;  // given by clients, of schedules that are not deleted
};

class RunTable final : public RunRows {
 public:
  std::optional<ManualRun> find_or_add(const ManualRun& run) override;
  // Forgets runs that were committed before `before`: at most `limit`, the earliest first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  void hash(auto& sink) const { fold(sink, rows_); }

 private:
  std::map<std::pair<ScheduleId, std::uint64_t>, ManualRun> rows_;
};

// The ledger: what became of each slot.
//
// A row for every fire would grow with time. So the machine keeps two things that together say the same: a watermark
// for each segment (its cursor: everything before it is covered), and the exceptions (the range rows that are not
// fires). A slot below its segment's watermark that is in no exception was fired.
//
// Adjacent exceptions with the same meaning are merged, so a schedule that stays paused costs one row.
class ExceptionTable final : public ExceptionRows {
 public:
  void add(const LedgerRow& row) override;
  // Forgets rows that lie wholly before `before`: at most `limit`, the earliest end first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  // All rows, by (schedule, version, from).
  std::vector<LedgerRow> all() const;
  void hash(auto& sink) const { fold(sink, rows_); }

 private:
  struct Key {
    SegmentKey segment;
    StoreTime from;
    constexpr auto operator<=>(const Key&) const = default;
    void hash(auto& sink) const { fold(sink, segment, from); }
  };
  struct StoredRow {
    StoreTime to;
    StoreTime slot;  // coalesced: into which; otherwise zero
    Disposition what = Disposition::missed;
    void hash(auto& sink) const { fold(sink, to, slot, what); }
  };
  std::map<Key, StoredRow> rows_;
};

// A resource's ledger at one moment, for adapters and tests to compare.
struct Ledger {
  std::vector<LedgerRow> exceptions;  // by (schedule, version, from)
  std::vector<Segment> watermarks;    // the segments not yet drained, by (schedule, version)
};

// The change feed: every edit of a schedule, numbered in commit order.
//
// A follower reads from 0, and goes on from the last number that it got. The commit itself takes the number, so no
// number appears after a later one (a database's plain sequence does not promise that).
class ChangeLog final : public ChangeRows {
 public:
  std::uint64_t append(Change change, LogNote note, std::uint64_t before) override;
  void close(std::uint64_t seq, StoreTime end) override;
  const Definition* definition(std::uint64_t seq) override { return &definition_of(seq); }
  bool is(std::uint64_t seq, const Definition& definition) override {
    return definition_of(seq) == definition;
  }
  bool is_paused(std::uint64_t seq) override { return definition_of(seq).paused; }
  // REQUIRES: as definition().
  const Definition& definition_of(std::uint64_t seq) const;

  // The last number given; 0 when there was none.
  std::uint64_t last() const { return last_; }
  // Fills `changes` with what follows `asked.seq`.
  void read(const ChangesSince& asked, Changes& changes) const;
  // The same for people; the names are left to the caller.
  void read(const ReadLog& asked, Log& log) const;

  // Forgets changes whose segments ended by `before` and are drained: at most `limit`, the earliest end first. Returns
  // how many. The newest change always stays. From it a follower learns that it has caught up with last(), and from its
  // number that some changes were forgotten.
  std::uint64_t prune(StoreTime before, std::uint64_t limit, const SegmentTable& live);
  void hash(auto& sink) const { fold(sink, last_, records_); }

 private:
  struct Record {
    Change change;
    StoreTime end;  // the present end of its segment; max() while the version is in force
    LogNote note;
    void hash(auto& sink) const { fold(sink, change, end, note); }
  };

  // REQUIRES: it is kept.
  std::size_t place_of(std::uint64_t seq) const;

  std::vector<Record> records_;  // by seq, which has gaps after a prune
  std::uint64_t last_ = 0;
};

// The payloads of schedules, each for the versions that have it.
//
//   1. A row speaks for the versions [version, last] of its schedule. Rows of one schedule do not overlap. A version
//      that no row speaks for has an empty payload.
//   2. The row in force has no last version and no end yet. A version that changes nothing of the payload makes no row.
class PayloadTable final : public PayloadRows {
 public:
  void put(SegmentKey key, const Payload& payload, StoreTime at) override;
  void close(SegmentKey key, StoreTime at) override;
  const Payload& find(SegmentKey key) override { return std::as_const(*this).find(key); }
  const Payload& find(SegmentKey key) const;

  // Forgets payloads that were replaced, or whose schedule was deleted, by `before`, and that neither a segment nor an
  // event needs: at most `limit`, the earliest end first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit, const SegmentTable& live,
                      const OutboxQueue& outbox, const WaitingTable& waiting);
  void hash(auto& sink) const { fold(sink, rows_); }

 private:
  struct PayloadRow {
    std::uint32_t last = UINT32_MAX;  // this: it is in force
    StoreTime ended = StoreTime::max();
    Payload payload;
    void hash(auto& sink) const { fold(sink, last, ended, payload); }
  };
  using Map = std::map<SegmentKey, PayloadRow>;

  // The row that speaks for `key`; end() when there is none.
  Map::const_iterator row_of(SegmentKey key) const;

  Map rows_;  // by the first version
};

// What became of slots and manual runs, row by row, in commit order.
//
// The ledger says the same of slots in little room: as watermarks and exceptions. This is for people, and grows with
// each fire. So a machine in a simulation keeps none, and real stores prune theirs.
class HistoryLog final : public HistoryRows {
 public:
  // From now on rows are kept.
  void keep() { keeps_ = true; }
  bool keeps() const { return keeps_; }

  void append(HistoryRow row) override;
  // Fills in the page that was asked for. CHECKs that rows are kept.
  void read(const ReadHistory& asked, HistoryPage& page) const;
  // Forgets rows as Prune says, the earliest first; returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t keep, std::uint64_t limit);
  void hash(auto& sink) const { fold(sink, keeps_, last_, rows_); }

 private:
  bool keeps_ = false;
  std::deque<HistoryRow> rows_;  // by seq, without gaps
  std::uint64_t last_ = 0;
};

// The instances that registered themselves, and their numbers.
//
// A number is never given a second time, also not after its instance was forgotten: nobody can prove that a process is
// gone, and two with one number would be one holder of a lease.
class NodeTable final : public NodeRows {
 public:
  NodeRegistered add(const RegisterNode& asked, StoreTime now) override;
  RegisteredNodes all() const;
  // Forgets instances that were last seen by `before`: at most `limit`, the earliest first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);

  bool untouched() const { return next_ == kFirstRegistered; }
  void hash(auto& sink) const { fold(sink, next_, nodes_); }

 private:
  struct Known {
    std::string key;
    RegisteredNode node;
    void hash(auto& sink) const { fold(sink, key, node); }
  };
  std::map<NodeId, Known> nodes_;
  std::uint32_t next_ = kFirstRegistered;
};

}  // namespace tenure::reference
