// The segments that still have something to cover, by name and by due time.
//
// Every version of a schedule owns the slots in its segment [begin, end). Each version begins where the one before it
// ends, so a slot has exactly one owner. Invariants:
//
//   1. No version begins before the end of what earlier versions have covered. No version is closed before the end of
//      what it has covered itself.
//   2. A segment is here until it is drained: closed, and with no slot of its own at or after its cursor.
//   3. The index holds exactly (cursor, schedule, version) of each segment here.
//
// covered_until keeps a slot from having two owners. The cursor waits at the next slot, in the future, so it does not
// say where an edit may cut. Nor does store_now: a fire and an edit can fall in one microsecond, or the store's clock
// can go back between them. Then the next version would own a fired slot again.
//
// A version that begins in the store's future was edited while the clock was ahead. It is drawn back, as leases are
// rebased: it begins now, or where the last slot was covered, and the version before it ends there. So an acknowledged
// edit takes effect when the store finds out, and not when the false time comes.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/store/reference/tables.h"

namespace tenure::reference {

class SegmentTable final : public SegmentRows {
 public:
  Segment begin(SegmentKey key, StoreTime at, StoreTime covered_until, const Definition& definition) override;
  Cut close(SegmentKey key, StoreTime now, const Definition* definition) override;
  std::vector<std::pair<ScheduleId, StoreTime>> draw_back(StoreTime now) override;
  std::vector<Segment> remove(ScheduleId schedule) override;
  RowResult cover(const LedgerRow& row, StoreTime now, std::optional<DeliveryRules>& rules) override;
  std::optional<DeliveryRules> rules(SegmentKey key) override;

  // Since when the version in force has had no slot left, and no version before it has; nullopt: one has.
  std::optional<StoreTime> finished(SegmentKey in_force) const;

  // No slot of the version in force fires before this. REQUIRES: it is here.
  StoreTime covered(SegmentKey in_force) const { return covered(rows_.at(in_force)); }
  // Of the versions in force that are covered beyond `now`: how many, and until when the last one is.
  void count_ahead(StoreTime now, Depths& depths) const;

  bool contains(SegmentKey key) const { return rows_.contains(key); }
  // Whether one of the schedule's versions from `first` to `last` has a segment here.
  bool contains_any(SegmentKey first, std::uint32_t last) const {
    const auto it = rows_.lower_bound(first);
    return it != rows_.end() && it->first <= SegmentKey{first.schedule, last};
  }
  // Fills `due` with the page that was asked for.
  void read(const ReadDue& asked, Due& due) const;
  // All segments, by (schedule, version).
  std::vector<Segment> all() const;
  void hash(auto& sink) const { fold(sink, rows_); }

 private:
  struct SegmentRow {
    StoreTime begin;
    StoreTime end = StoreTime::max();
    StoreTime cursor;
    StoreTime covered_until;  // the end of the last instant that this version or one before it has covered
    void hash(auto& sink) const { fold(sink, begin, end, cursor, covered_until); }
  };
  struct Position {
    StoreTime cursor;
    SegmentKey key;
    constexpr auto operator<=>(const Position&) const = default;
  };
  using Map = std::map<SegmentKey, SegmentRow>;

  static Segment segment_of(SegmentKey key, const SegmentRow& row);
  // Of one schedule; nullopt when it stays.
  std::optional<StoreTime> draw_back(ScheduleId schedule, StoreTime now);
  static StoreTime covered(const SegmentRow& row) { return std::max(row.begin, row.covered_until); }
  StoreTime covered_until(ScheduleId schedule) const;
  void cut(ScheduleId schedule, StoreTime at);
  void move_cursor(Map::iterator it, StoreTime cursor);
  void forget(Map::iterator it);

  Map rows_;
  std::map<SegmentKey, DeliveryRules> rules_;  // of segments here whose events others deliver
  std::set<Position> by_cursor_;
  StoreTime latest_begin_ = StoreTime::min();  // over all versions, past ones included
};

}  // namespace tenure::reference
