// The segments that a leader covers, soonest first.
//
// So no wake scans all schedules. Ties go by schedule, then version: the order is the same on every machine.
//
// A schedule's versions take turns by when their slots are due. So a version whose last slot has an hour of jitter does
// not keep the next version waiting. But a commit never holds rows of two versions. An earlier commit that was given up
// may still be executed, and then fail the rows of only one of the two: the slot that is due first would fire last.
//
// Invariants:
//   1. by_wake_ has each segment here once, by its wake.
//   2. No segment here is drained.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/fold.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/scheduler/fenced_outbox/segment_planner.h"

namespace tenure {

class DueQueue {
 public:
  bool empty() const { return by_wake_.empty(); }
  std::size_t size() const { return by_wake_.size(); }
  // The earliest wake; max() for none.
  StoreTime next() const { return empty() ? StoreTime::max() : by_wake_.begin()->first; }

  // Whether take_due() would come to a row that fires, and so wants a worker: a slot that waits for work of its own
  // schedule stands in nobody's way.
  bool fires(StoreTime now, StoreTime until, const Deliveries& in_hand) const;

  // Adds a segment. A segment that is here already keeps the later cursor and the earlier end.
  void put(const reference::Segment& segment, const Definition& definition);
  // Closes every version of `schedule` before `version`.
  void close_before(ScheduleId schedule, std::uint32_t version, StoreTime end);
  // Takes every version of `schedule` away.
  void remove(ScheduleId schedule);
  // Sets a cursor back to what the store says; does nothing for a segment that is not here.
  void move_to(ScheduleId schedule, std::uint32_t version, StoreTime cursor);
  bool contains(ScheduleId schedule, std::uint32_t version) const {
    return segments_.contains({schedule, version});
  }
  // Whether the segment is here, and what it has from `from` on is still to be covered.
  bool has_from(ScheduleId schedule, std::uint32_t version, StoreTime from) const;
  void clear() { *this = {}; }

  // What `schedule` fired is committed, or its work has ended. A segment that waited for that is due again.
  void committed(ScheduleId schedule) { wake(schedule, &SegmentPlanner::committed); }
  void work_ended(ScheduleId schedule) { wake(schedule, &SegmentPlanner::work_ended); }

  // Appends rows until nothing more is due at `now`, or the rest needs another commit, or there are `limit` rows (one
  // more, if two rows belong together). `in_hand` knows which schedules have work running. At most `room` rows fire.
  // Rows that do not fire are taken too, up to the first that would be one too many. Nothing is taken that is due at
  // `until` or later: something earlier may not be here yet. Returns how many rows fire. Fires that need no worker,
  // because others do their work, count as rows that do not fire; `routed` says who does. A definition that the table
  // has forgotten since is here until its segment is drained.
  using Routed = std::map<std::size_t, Delivery>;  // by place among the rows
  std::size_t take_due(StoreTime now, StoreTime until, std::size_t limit, std::size_t room,
                       const Deliveries& in_hand, std::vector<reference::LedgerRow>& rows, Routed& routed);

  void hash(auto& sink) const { fold(sink, segments_); }

 private:
  using Key = std::pair<ScheduleId, std::uint32_t>;
  using Segments = std::map<Key, SegmentPlanner>;

  static Deliveries::Overlap overlap_of(const SegmentPlanner& coverage, const Deliveries& in_hand);
  void wake(ScheduleId schedule, void (SegmentPlanner::*what)());
  bool is_one_of_several(Segments::iterator it) const;
  // What may move the segment's wake, or drain it.
  template <class Change>
  void change(Segments::iterator it, Change&& what);
  // The same for the versions of a schedule up to `end`.
  template <class Change>
  void change_versions(ScheduleId schedule, Segments::iterator end, Change&& what);

  Segments segments_;
  std::set<std::pair<StoreTime, Key>> by_wake_;
};

}  // namespace tenure
