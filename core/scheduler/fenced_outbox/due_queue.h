// The segments that a leader covers, soonest first.
//
// A binary heap over a table of coverages with stable places, so that a fire costs one sift and no allocation,
// and no wake scans all schedules. Ties go by schedule, then version: the order is the same on every machine.
//
// Invariants:
//   1. heap_ is a heap by (wake, schedule, version), and holds each place in use once.
//   2. place_in_heap_[p] is where heap_ holds place p.
//   3. by_key_ names each place in use, and spare_ each of the others.
//   4. No coverage here is drained.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/scheduler/fenced_outbox/coverage.h"

namespace tenure {

class DueQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The earliest wake; max() when empty.
  StoreTime next() const { return heap_.empty() ? StoreTime::max() : heap_.front().wake; }

  // Adds a segment. One that is here already keeps the later cursor and the earlier end.
  void put(const house::Segment& segment, const Definition& definition);
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

  // Appends rows until nothing is due at `now` or there are `limit` of them; one more, so that two rows that belong
  // together stay so.
  void take_due(StoreTime now, std::size_t limit, std::vector<house::Covering>& rows);

  void hash(Hasher& hasher) const;

 private:
  using Key = std::pair<ScheduleId, std::uint32_t>;
  using Keys = std::map<Key, std::uint32_t>;
  struct Node {
    StoreTime wake;
    ScheduleId schedule;
    std::uint32_t place;
  };

  bool sooner(const Node& a, const Node& b) const;
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  void set(std::size_t at, const Node& node);
  // The coverage at `place` changed: its node moves, or goes when it is drained.
  void refresh(std::uint32_t place);
  void erase(std::uint32_t place);

  std::vector<Coverage> places_;
  std::vector<std::uint32_t> place_in_heap_;
  std::vector<std::uint32_t> spare_;
  std::vector<Node> heap_;
  Keys by_key_;
};

}  // namespace tenure
