#include "core/scheduler/fenced_outbox/due_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tenure {

template <class Change>
void DueQueue::change(Segments::iterator it, Change&& what) {
  auto position = by_wake_.extract({it->second.wake(), it->first});
  what(it->second);
  if (it->second.drained()) {
    segments_.erase(it);
  } else {
    position.value().first = it->second.wake();
    by_wake_.insert(std::move(position));
  }
}

template <class Change>
void DueQueue::change_versions(ScheduleId schedule, Segments::iterator end, Change&& what) {
  for (auto it = segments_.lower_bound({schedule, 0}); it != end;) change(it++, what);
}

void DueQueue::put(const reference::Segment& segment, const Definition& definition) {
  if (segment.cursor >= segment.end) return;  // invariant 2
  const auto [it, fresh] = segments_.try_emplace({segment.schedule, segment.version}, segment, definition);
  if (fresh) {
    by_wake_.emplace(it->second.wake(), it->first);
    return;
  }
  change(it, [&segment](SegmentPlanner& known) {
    known.close(segment.end);
    if (segment.cursor > known.cursor()) known.move_to(segment.cursor);
  });
}

void DueQueue::close_before(ScheduleId schedule, std::uint32_t version, StoreTime end) {
  change_versions(schedule, segments_.lower_bound({schedule, version}),
                  [end](SegmentPlanner& coverage) { coverage.close(end); });
}

void DueQueue::remove(ScheduleId schedule) {
  change_versions(schedule, segments_.upper_bound({schedule, UINT32_MAX}),
                  [](SegmentPlanner& coverage) { coverage.close(StoreTime::min()); });
}

void DueQueue::move_to(ScheduleId schedule, std::uint32_t version, StoreTime cursor) {
  const auto found = segments_.find({schedule, version});
  if (found != segments_.end())
    change(found, [cursor](SegmentPlanner& coverage) { coverage.move_to(cursor); });
}

bool DueQueue::has_from(ScheduleId schedule, std::uint32_t version, StoreTime from) const {
  const auto found = segments_.find({schedule, version});
  return found != segments_.end() && found->second.cursor() <= from;
}

void DueQueue::wake(ScheduleId schedule, void (SegmentPlanner::*what)()) {
  for (auto it = segments_.lower_bound({schedule, 0});
       it != segments_.end() && it->first.first == schedule;) {
    const auto here = it++;
    if (here->second.minds_overlap()) change(here, [what](SegmentPlanner& coverage) { (coverage.*what)(); });
  }
}

// Work of a later version does not hold up what this one still owes. Whether events that others deliver overlap, the
// store says.
Deliveries::Overlap DueQueue::overlap_of(const SegmentPlanner& coverage, const Deliveries& in_hand) {
  return coverage.minds_overlap() && coverage.wants_worker()
             ? in_hand.overlap(coverage.schedule(), coverage.end())
             : Deliveries::Overlap::none;
}

bool DueQueue::fires(StoreTime now, StoreTime until, const Deliveries& in_hand) const {
  for (const auto& [wake, key] : by_wake_) {
    if (wake > now || wake >= until) return false;
    const SegmentPlanner& coverage = segments_.at(key);
    const Deliveries::Overlap overlap = overlap_of(coverage, in_hand);
    if (overlap == Deliveries::Overlap::unknown) return false;
    if (coverage.wants_worker() && coverage.fires(now, overlap == Deliveries::Overlap::runs)) return true;
  }
  return false;
}

bool DueQueue::is_one_of_several(Segments::iterator it) const {
  const auto is_another = [it](auto beside) { return beside->first.first == it->first.first; };
  return (it != segments_.begin() && is_another(std::prev(it))) ||
         (std::next(it) != segments_.end() && is_another(std::next(it)));
}

std::size_t DueQueue::take_due(StoreTime now, StoreTime until, std::size_t limit, std::size_t room,
                               const Deliveries& in_hand, std::vector<reference::LedgerRow>& rows,
                               Routed& routed) {
  std::size_t firing = 0;
  std::vector<ScheduleId> drained;  // of which a version is no longer here
  const auto has_another_version = [&rows](const SegmentPlanner& coverage) {
    return std::any_of(rows.begin(), rows.end(), [&coverage](const reference::LedgerRow& row) {
      return row.schedule == coverage.schedule() && row.version != coverage.version();
    });
  };
  while (rows.size() < limit && next() <= now && next() < until) {
    const auto it = segments_.find(by_wake_.begin()->second);
    const SegmentPlanner& coverage = it->second;
    const ScheduleId schedule = coverage.schedule();
    const bool may_share = !is_one_of_several(it) && std::ranges::count(drained, schedule) == 0;
    if (!may_share && has_another_version(coverage)) break;
    const Deliveries::Overlap overlap = overlap_of(coverage, in_hand);
    // Like a fire for which there is no worker.
    if (overlap == Deliveries::Overlap::unknown) break;
    const bool busy = overlap == Deliveries::Overlap::runs;
    const bool fires = coverage.wants_worker() && coverage.fires(now, busy);
    if (fires && firing == room) break;
    if (fires) ++firing;
    std::size_t row = rows.size();
    change(it, [&](SegmentPlanner& taken) {
      taken.take(now, busy, rows);
      for (; !taken.wants_worker() && row < rows.size(); ++row)
        if (rows[row].what == reference::Disposition::fired) routed.emplace(row, taken.delivery());
      if (taken.drained()) drained.push_back(schedule);
    });
  }
  return firing;
}

}  // namespace tenure
