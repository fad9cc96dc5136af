#include "core/store/house/segments.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::house {

namespace {

constexpr Duration kResolution = Duration::micros(1);

bool is_single(const Covering& row) { return row.what == Disposition::fired && row.slots == 1; }

}  // namespace

void check_well_formed(const Covering& row) {
  CHECK(row.from < row.to, "a ledger row covers something");
  CHECK(row.what != Disposition::deleted, "only the store itself records a delete");
  CHECK(row.what != Disposition::coalesced, "what is coalesced is a part of the fired row");
  CHECK(row.slots >= 0);
  CHECK(row.what != Disposition::fired ||
            (row.from <= row.slot && row.slot < row.to && row.slot <= row.due && row.slots >= 1),
        "a fired slot is covered, and due no earlier than its time");
}

StoreTime covered_end(const Covering& row) { return is_single(row) ? row.slot + kResolution : row.to; }

bool is_due(const Covering& row, StoreTime now) {
  return covered_end(row) <= now + kResolution && row.due <= now;
}

Segment SegmentTable::begin(SegmentKey key, StoreTime at, const Definition& definition) {
  const StoreTime first = slot_at_or_after(definition, at).value_or(StoreTime::max());
  const auto [row, inserted] =
      rows_.try_emplace(key, Row{.begin = at, .end = StoreTime::max(), .cursor = first, .covered_until = at});
  CHECK(inserted, "a version has one segment");
  by_cursor_.insert({first, key});
  return segment_of(key, row->second);
}

StoreTime SegmentTable::close(SegmentKey key, StoreTime now, const Definition& definition) {
  const auto it = rows_.find(key);
  CHECK(it != rows_.end() && it->second.end == StoreTime::max(), "only the segment in force is closed");
  Row& row = it->second;
  const StoreTime end = std::max(now, row.covered_until);  // invariant 1
  row.end = end;
  const auto left = slot_at_or_after(definition, row.cursor);
  if (!left || *left >= end) forget(it);  // invariant 2
  return end;
}

std::vector<Segment> SegmentTable::remove(ScheduleId schedule) {
  std::vector<Segment> removed;
  auto it = rows_.lower_bound({schedule, 0});
  while (it != rows_.end() && it->first.schedule == schedule) {
    removed.push_back(segment_of(it->first, it->second));
    forget(it++);
  }
  return removed;
}

RowResult SegmentTable::cover(const Covering& asked, StoreTime now) {
  check_well_formed(asked);
  const SegmentKey key{asked.schedule, asked.version};
  const auto it = rows_.find(key);
  if (it == rows_.end()) return RowResult::no_segment;
  Row& row = it->second;
  if (row.cursor != asked.from || row.end < asked.to) return RowResult::moved;
  if (!is_due(asked, now)) return RowResult::not_due;

  row.covered_until = covered_end(asked);
  if (row.end == asked.to && row.end != StoreTime::max()) {
    forget(it);
    return RowResult::covered;
  }
  auto node = by_cursor_.extract({row.cursor, key});
  node.value().cursor = row.cursor = asked.to;
  by_cursor_.insert(by_cursor_.end(),
                    std::move(node));  // mostly its place: others are due before it is again
  return RowResult::covered;
}

void SegmentTable::read(const ReadDue& asked, Due& due) const {
  auto it = by_cursor_.begin();
  if (asked.after) {
    it = by_cursor_.upper_bound({asked.after->cursor, {asked.after->schedule, asked.after->version}});
  }
  for (; it != by_cursor_.end() && it->cursor < asked.horizon; ++it) {
    if (due.segments.size() >= asked.limit) {
      due.more = true;
      return;
    }
    due.segments.push_back(segment_of(it->key, rows_.at(it->key)));
  }
}

std::vector<Segment> SegmentTable::all() const {
  std::vector<Segment> segments;
  segments.reserve(rows_.size());
  for (const auto& [key, row] : rows_) segments.push_back(segment_of(key, row));
  return segments;
}

void SegmentTable::hash(Hasher& hasher) const {
  hasher.add(rows_.size());
  for (const auto& [key, row] : rows_) {
    hasher.add(key.schedule)
        .add(key.version)
        .add(row.begin)
        .add(row.end)
        .add(row.cursor)
        .add(row.covered_until);
  }
}

Segment SegmentTable::segment_of(SegmentKey key, const Row& row) {
  return {.schedule = key.schedule,
          .version = key.version,
          .begin = row.begin,
          .end = row.end,
          .cursor = row.cursor};
}

void SegmentTable::forget(Rows::iterator it) {
  by_cursor_.erase({it->second.cursor, it->first});
  rows_.erase(it);
}

}  // namespace tenure::house
