// The segments that a leader covers, soonest first.
//
// A binary heap over a table of coverages with stable places, so that a fire costs one sift and no allocation,
// and no wake scans all schedules. Ties go by schedule, then version: the order is the same on every machine.
//
// A schedule's versions take their turns by when their slots are due, so that one whose last slot has an hour of
// jitter does not keep the next one waiting. But a commit never holds rows of two versions: an earlier commit that was
// given up may be executed after all and fail the rows of one, but not those of the other, and what is due first would
// fire last.
//
// Invariants:
//   1. heap_ is a heap by (wake, schedule, version), and holds each place in use once.
//   2. places_[p].at is where heap_ holds place p.
//   3. by_key_ names each place in use, and spare_ each of the others.
//   4. No coverage here is drained.
//   5. Between calls, a place is one of several iff another version of its schedule is here.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/scheduler/fenced_outbox/segment_planner.h"

namespace tenure {

class DueQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The earliest wake; max() for none.
  StoreTime next() const { return heap_.empty() ? StoreTime::max() : heap_.front().wake; }

  // Adds a segment. One that is here already keeps the later cursor and the earlier end.
  void put(const reference::Segment& segment, const Definition& definition);
  // Closes every version of `schedule` before `version`.
  void close_before(ScheduleId schedule, std::uint32_t version, StoreTime end);
  // Takes every version of `schedule` away.
  void remove(ScheduleId schedule);
  // Sets a cursor back to what the store says; does nothing for a segment that is not here.
  void move_to(ScheduleId schedule, std::uint32_t version, StoreTime cursor);
  bool contains(ScheduleId schedule, std::uint32_t version) const {
    return by_key_.contains({schedule, version});
  }
  void clear();

  // What `schedule` fired is committed, or work of it has ended: what rested for that is due again.
  void committed(ScheduleId schedule) { wake(schedule, &SegmentPlanner::committed); }
  void work_ended(ScheduleId schedule) { wake(schedule, &SegmentPlanner::work_ended); }

  // Appends rows until nothing is due at `now`, or the rest has to go with another commit, or there are `limit` of
  // them; one more, so that two rows that belong together stay so. `in_hand` knows which schedules have work running.
  // No more than `room` rows fire; what does not fire is taken all the same, up to the first that would. Nothing is
  // taken whose turn comes at `until` or later: before it there may be something that is not here.
  // Returns how many rows fire.
  std::size_t take_due(StoreTime now, StoreTime until, std::size_t limit, std::size_t room,
                       const Deliveries& in_hand, std::vector<reference::LedgerRow>& rows);

  void hash(Hasher& hasher) const;

 private:
  using Key = std::pair<ScheduleId, std::uint32_t>;
  using Keys = std::map<Key, std::uint32_t>;
  struct Node {
    StoreTime wake;
    ScheduleId schedule;
    std::uint32_t place;
  };

  struct Place {
    SegmentPlanner coverage;
    std::uint32_t at = 0;
    bool one_of_several = false;
  };

  void wake(ScheduleId schedule, void (SegmentPlanner::*what)());
  bool sooner(const Node& a, const Node& b) const;
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  void set(std::size_t at, const Node& node);
  // The place changed: its node moves, or goes when it is drained.
  void refresh(std::uint32_t place);
  void erase(std::uint32_t place);
  // Restores invariant 5 for a schedule.
  void mark_versions(ScheduleId schedule);

  std::vector<Place> places_;
  std::vector<std::uint32_t> spare_;
  std::vector<Node> heap_;
  Keys by_key_;
  bool minds_overlap_ = false;       // a coverage here does, or did
  std::vector<ScheduleId> drained_;  // of which a version was drained by the call under way
};

}  // namespace tenure
