#include "core/scheduler/fenced_outbox/due_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tenure {

void DueQueue::put(const reference::Segment& segment, const Definition& definition) {
  if (segment.cursor >= segment.end) return;  // invariant 4
  const auto [found, fresh] = by_key_.try_emplace({segment.schedule, segment.version}, 0);
  if (fresh) {
    const Place added{SegmentPlanner{segment, definition}};
    if (spare_.empty()) {
      found->second = static_cast<std::uint32_t>(places_.size());
      places_.push_back(added);
    } else {
      found->second = spare_.back();
      spare_.pop_back();
      places_[found->second] = added;
    }
    heap_.push_back({});
    set(heap_.size() - 1, {StoreTime::max(), segment.schedule, found->second});
  } else {
    SegmentPlanner& known = places_[found->second].coverage;
    known.close(segment.end);
    if (segment.cursor > known.cursor()) known.move_to(segment.cursor);
  }
  minds_overlap_ = minds_overlap_ || places_[found->second].coverage.minds_overlap();
  refresh(found->second);
  mark_versions(segment.schedule);
}

void DueQueue::close_before(ScheduleId schedule, std::uint32_t version, StoreTime end) {
  auto it = by_key_.lower_bound({schedule, 0});
  while (it != by_key_.end() && it->first < Key{schedule, version}) {
    const std::uint32_t place = (it++)->second;
    places_[place].coverage.close(end);
    refresh(place);
  }
  mark_versions(schedule);
}

void DueQueue::remove(ScheduleId schedule) {
  auto it = by_key_.lower_bound({schedule, 0});
  while (it != by_key_.end() && it->first.first == schedule) erase((it++)->second);
}

void DueQueue::move_to(ScheduleId schedule, std::uint32_t version, StoreTime cursor) {
  const auto found = by_key_.find({schedule, version});
  if (found == by_key_.end()) return;
  places_[found->second].coverage.move_to(cursor);
  refresh(found->second);
  mark_versions(schedule);
}

bool DueQueue::has_from(ScheduleId schedule, std::uint32_t version, StoreTime from) const {
  const auto found = by_key_.find({schedule, version});
  return found != by_key_.end() && places_[found->second].coverage.cursor() <= from;
}

void DueQueue::clear() {
  places_.clear();
  spare_.clear();
  heap_.clear();
  by_key_.clear();
}

void DueQueue::wake(ScheduleId schedule, void (SegmentPlanner::*what)()) {
  if (!minds_overlap_) return;
  auto it = by_key_.lower_bound({schedule, 0});
  for (; it != by_key_.end() && it->first.first == schedule; ++it) {
    (places_[it->second].coverage.*what)();
    refresh(it->second);
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
  const auto later = [this](std::size_t a, std::size_t b) { return sooner(heap_[b], heap_[a]); };
  std::vector<std::size_t> ahead;  // a heap of places in heap_, the soonest first
  if (!heap_.empty()) ahead.push_back(0);
  while (!ahead.empty()) {
    std::pop_heap(ahead.begin(), ahead.end(), later);
    const std::size_t at = ahead.back();
    ahead.pop_back();
    if (heap_[at].wake > now || heap_[at].wake >= until) return false;
    const SegmentPlanner& coverage = places_[heap_[at].place].coverage;
    const Deliveries::Overlap overlap = overlap_of(coverage, in_hand);
    if (overlap == Deliveries::Overlap::unknown) return false;
    if (coverage.wants_worker() && coverage.fires(now, overlap == Deliveries::Overlap::runs)) return true;
    for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
      if (child >= heap_.size()) continue;
      ahead.push_back(child);
      std::push_heap(ahead.begin(), ahead.end(), later);
    }
  }
  return false;
}

std::size_t DueQueue::take_due(StoreTime now, StoreTime until, std::size_t limit, std::size_t room,
                               const Deliveries& in_hand, std::vector<reference::LedgerRow>& rows,
                               Routed& routed) {
  std::size_t firing = 0;
  const auto has_another_version = [&rows](const SegmentPlanner& coverage) {
    return std::any_of(rows.begin(), rows.end(), [&coverage](const reference::LedgerRow& row) {
      return row.schedule == coverage.schedule() && row.version != coverage.version();
    });
  };
  while (rows.size() < limit && next() <= now && next() < until) {
    const std::uint32_t place = heap_.front().place;
    SegmentPlanner& coverage = places_[place].coverage;
    if (places_[place].one_of_several && has_another_version(coverage)) break;
    const Deliveries::Overlap overlap = overlap_of(coverage, in_hand);
    // Like a fire for which there is no worker.
    if (overlap == Deliveries::Overlap::unknown) break;
    const bool busy = overlap == Deliveries::Overlap::runs;
    const bool fires = coverage.wants_worker() && coverage.fires(now, busy);
    if (fires && firing == room) break;
    if (fires) ++firing;
    std::size_t row = rows.size();
    coverage.take(now, busy, rows);
    for (; !coverage.wants_worker() && row < rows.size(); ++row)
      if (rows[row].what == reference::Disposition::fired) routed.emplace(row, coverage.delivery());
    if (coverage.drained()) drained_.push_back(coverage.schedule());
    refresh(place);
  }
  for (const ScheduleId schedule : drained_) mark_versions(schedule);
  drained_.clear();
  return firing;
}

bool DueQueue::sooner(const Node& a, const Node& b) const {
  if (a.wake != b.wake) return a.wake < b.wake;
  if (a.schedule != b.schedule) return a.schedule < b.schedule;
  return places_[a.place].coverage.version() < places_[b.place].coverage.version();
}

void DueQueue::set(std::size_t at, const Node& node) {
  heap_[at] = node;
  places_[node.place].at = static_cast<std::uint32_t>(at);
}

void DueQueue::sift_up(std::size_t at) {
  const Node node = heap_[at];
  while (at > 0 && sooner(node, heap_[(at - 1) / 2])) {
    set(at, heap_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  set(at, node);
}

void DueQueue::sift_down(std::size_t at) {
  const Node node = heap_[at];
  for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && sooner(heap_[child + 1], heap_[child])) ++child;
    if (!sooner(heap_[child], node)) break;
    set(at, heap_[child]);
    at = child;
  }
  set(at, node);
}

void DueQueue::refresh(std::uint32_t place) {
  if (places_[place].coverage.drained()) {
    erase(place);
    return;
  }
  const std::size_t at = places_[place].at;
  const StoreTime wake = places_[place].coverage.wake();
  const bool later = wake > heap_[at].wake;
  heap_[at].wake = wake;
  later ? sift_down(at) : sift_up(at);
}

void DueQueue::erase(std::uint32_t place) {
  const std::size_t at = places_[place].at;
  by_key_.erase({places_[place].coverage.schedule(), places_[place].coverage.version()});
  spare_.push_back(place);
  const Node last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  set(at, last);
  sift_down(at);
  sift_up(places_[last.place].at);
}

void DueQueue::mark_versions(ScheduleId schedule) {
  const auto first = by_key_.lower_bound({schedule, 0});
  const auto last = by_key_.upper_bound({schedule, UINT32_MAX});
  const bool several = first != last && std::next(first) != last;
  for (auto it = first; it != last; ++it) places_[it->second].one_of_several = several;
}

void DueQueue::hash(Hasher& hasher) const {
  hasher.add(by_key_.size());
  for (const auto& [key, place] : by_key_) places_[place].coverage.hash(hasher);
}

}  // namespace tenure
