#include "core/store/reference/segments.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"

namespace tenure::reference {

Segment SegmentTable::begin(SegmentKey key, StoreTime at, StoreTime covered_until,
                            const Definition& definition) {
  const StoreTime first = slot_at_or_after(definition, at).value_or(StoreTime::max());
  const SegmentRow opened{
      .begin = at, .end = StoreTime::max(), .cursor = first, .covered_until = covered_until};
  const auto [row, inserted] = rows_.try_emplace(key, opened);
  CHECK(inserted, "a version has one segment");
  if (definition.delivery.kind != Delivery::Kind::work) rules_.emplace(key, rules_of(definition));
  by_cursor_.insert({first, key});
  latest_begin_ = std::max(latest_begin_, at);
  return segment_of(key, row->second);
}

SegmentRows::Cut SegmentTable::close(SegmentKey key, StoreTime now, const Definition* definition) {
  const auto it = rows_.find(key);
  CHECK(it != rows_.end() && it->second.end == StoreTime::max(), "only the segment in force is closed");
  const StoreTime covered = covered_until(key.schedule);
  const StoreTime at = std::max(now, covered);  // invariant 1
  it->second.end = at;
  const auto left = slot_at_or_after(*definition, it->second.cursor);
  if (!left || *left >= at) forget(it);  // invariant 2
  cut(key.schedule, at);
  return {at, covered};
}

std::vector<std::pair<ScheduleId, StoreTime>> SegmentTable::draw_back(StoreTime now) {
  std::vector<std::pair<ScheduleId, StoreTime>> begins;
  if (latest_begin_ <= now) return begins;
  std::vector<ScheduleId> schedules;
  for (const auto& [key, row] : rows_)
    if (row.begin > now) schedules.push_back(key.schedule);
  for (const ScheduleId schedule : schedules)
    if (const auto begin = draw_back(schedule, now)) begins.emplace_back(schedule, *begin);
  return begins;
}

std::optional<StoreTime> SegmentTable::draw_back(ScheduleId schedule, StoreTime now) {
  auto it = rows_.upper_bound({schedule, UINT32_MAX});
  if (it == rows_.begin() || (--it)->first.schedule != schedule) return std::nullopt;
  const StoreTime covered = covered_until(schedule);
  const StoreTime at = std::max(covered, now);
  if (it->second.begin <= at) return std::nullopt;
  SegmentRow& in_force = it->second;
  in_force.begin = at;
  in_force.covered_until = covered;
  move_cursor(it, at);  // its first slot is for the leader to find
  cut(schedule, at);
  return at;
}

StoreTime SegmentTable::covered_until(ScheduleId schedule) const {
  StoreTime latest;
  for (auto it = rows_.lower_bound({schedule, 0}); it != rows_.end() && it->first.schedule == schedule; ++it)
    latest = std::max(latest, it->second.covered_until);
  return latest;
}

// No closed segment of `schedule` reaches beyond `at`.
void SegmentTable::cut(ScheduleId schedule, StoreTime at) {
  auto it = rows_.lower_bound({schedule, 0});
  while (it != rows_.end() && it->first.schedule == schedule) {
    const auto here = it++;
    SegmentRow& row = here->second;
    if (row.end == StoreTime::max() || row.end <= at) continue;
    row.end = at;
    if (row.cursor >= at) forget(here);
  }
}

void SegmentTable::move_cursor(Map::iterator it, StoreTime cursor) {
  auto node = by_cursor_.extract({it->second.cursor, it->first});
  node.value().cursor = it->second.cursor = cursor;
  by_cursor_.insert(std::move(node));
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

std::optional<DeliveryRules> SegmentTable::rules(SegmentKey key) {
  const auto it = rules_.find(key);
  return it == rules_.end() ? std::nullopt : std::optional(it->second);
}

RowResult SegmentTable::cover(const LedgerRow& asked, StoreTime now, std::optional<DeliveryRules>& rules) {
  check_well_formed(asked);
  const SegmentKey key{asked.schedule, asked.version};
  if (const auto known = rules_.find(key); known != rules_.end()) rules = known->second;
  const auto it = rows_.find(key);
  if (it == rows_.end()) return RowResult::no_segment;
  SegmentRow& row = it->second;
  if (row.cursor != asked.from || row.end < asked.to) return RowResult::moved;
  if (!is_due(asked, now)) return RowResult::not_due;

  row.covered_until = covered_end(asked);
  if (row.end == asked.to && row.end != StoreTime::max()) {
    const StoreTime covered = row.covered_until;
    forget(it);
    // The version in force remembers it: it may be drawn back, but not before this.
    const auto next = rows_.upper_bound({asked.schedule, UINT32_MAX});
    CHECK(next != rows_.begin() && std::prev(next)->first.schedule == asked.schedule);
    StoreTime& known = std::prev(next)->second.covered_until;
    known = std::max(known, covered);
    return RowResult::covered;
  }
  auto node = by_cursor_.extract({row.cursor, key});
  node.value().cursor = row.cursor = asked.to;
  by_cursor_.insert(by_cursor_.end(),
                    std::move(node));  // mostly its place: others are due before it is again
  return RowResult::covered;
}

std::optional<StoreTime> SegmentTable::finished(SegmentKey in_force) const {
  const auto first = rows_.lower_bound({in_force.schedule, 0});
  if (first == rows_.end() || first->first != in_force || first->second.cursor != StoreTime::max())
    return std::nullopt;
  return covered(first->second);
}

void SegmentTable::count_ahead(StoreTime now, Depths& depths) const {
  for (const auto& [key, row] : rows_) {
    if (row.end != StoreTime::max() || covered(row) <= now + kStoreResolution) continue;
    ++depths.ahead;
    depths.ahead_until = std::max(depths.ahead_until, covered(row));
  }
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

Segment SegmentTable::segment_of(SegmentKey key, const SegmentRow& row) {
  return {.schedule = key.schedule,
          .version = key.version,
          .begin = row.begin,
          .end = row.end,
          .cursor = row.cursor};
}

void SegmentTable::forget(Map::iterator it) {
  by_cursor_.erase({it->second.cursor, it->first});
  rules_.erase(it->first);
  rows_.erase(it);
}

}  // namespace tenure::reference
