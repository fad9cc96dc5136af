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
#include <vector>

#include "core/base/hash.h"
#include "core/schedule/definition.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

struct SegmentKey {
  ScheduleId schedule;
  std::uint32_t version = 0;
  constexpr auto operator<=>(const SegmentKey&) const = default;
};

// ---- one row by itself, whatever the segments are kept in ----

// CHECKs the caller's part. The rest depends on the world, and has a RowResult.
void check_well_formed(const LedgerRow& row);
// The end of the last instant that the row covers. A single fire's `to` is only where the cursor waits for the next
// slot.
StoreTime covered_end(const LedgerRow& row);
// Whether everything that the row covers has come.
bool is_due(const LedgerRow& row, StoreTime now);
// A fired row as it is written when the store judges that its slots overlap.
LedgerRow as_overlapped(LedgerRow row);

class SegmentTable {
 public:
  // Opens the segment of a new version, with the cursor at its first slot, so that ReadDue does not return a slot that
  // is due in a year. `covered_until`: the end of the last instant that earlier versions have covered. Returns the
  // segment.
  Segment begin(SegmentKey key, StoreTime at, StoreTime covered_until, const Definition& definition);
  struct Cut {
    StoreTime at;
    StoreTime covered_until;  // by any version of the schedule
  };
  // Closes the segment of the version in force at `now`, or as soon after as invariant 1 allows, and every segment that
  // reaches further. Forgets segments that this drains. REQUIRES: `key` is in force.
  Cut close(SegmentKey key, StoreTime now, const Definition& definition);
  // Draws the version in force back if it begins after `now`. Returns its new begin; nullopt when it stays.
  std::optional<StoreTime> draw_back(ScheduleId schedule, StoreTime now);
  // Can any version begin after `now`?
  bool may_begin_after(StoreTime now) const { return latest_begin_ > now; }
  // Removes all of a schedule's segments, and returns them.
  std::vector<Segment> remove(ScheduleId schedule);

  // Advances the cursor over `row` if that is allowed; forgets the segment if that drains it.
  RowResult cover(const LedgerRow& row, StoreTime now);

  // How events of the version are delivered; nullptr: by the leader's own work, or there is no such segment.
  const DeliveryRules* rules(SegmentKey key) const {
    const auto it = rules_.find(key);
    return it == rules_.end() ? nullptr : &it->second;
  }
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
  void hash(Hasher& hasher) const;

 private:
  struct SegmentRow {
    StoreTime begin;
    StoreTime end = StoreTime::max();
    StoreTime cursor;
    StoreTime covered_until;  // the end of the last instant that this version or one before it has covered
  };
  struct Position {
    StoreTime cursor;
    SegmentKey key;
    constexpr auto operator<=>(const Position&) const = default;
  };
  using SegmentRows = std::map<SegmentKey, SegmentRow>;

  static Segment segment_of(SegmentKey key, const SegmentRow& row);
  static StoreTime covered(const SegmentRow& row) { return std::max(row.begin, row.covered_until); }
  StoreTime covered_until(ScheduleId schedule) const;
  void cut(ScheduleId schedule, StoreTime at);
  void move_cursor(SegmentRows::iterator it, StoreTime cursor);
  void forget(SegmentRows::iterator it);

  SegmentRows rows_;
  std::map<SegmentKey, DeliveryRules> rules_;  // of segments here whose events others deliver
  std::set<Position> by_cursor_;
  StoreTime latest_begin_ = StoreTime::min();  // over all versions, past ones included
};

}  // namespace tenure::reference
