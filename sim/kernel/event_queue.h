// The event queue: what happens next, by time and then by order of insertion.
//
// A 4-ary heap in which every event knows its place. So cancel() removes an event at once, and a timer that is set and
// cancelled a million times leaves nothing behind.
//
//   I1. Events come out in increasing (time, sequence); sequence is the order of push.
//   I2. A handle names one event; once that event is out or cancelled, the handle names nothing.
//
// Thread rule: one queue belongs to one run.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/true_time.h"

namespace tenure::sim {

// An event; its handler gives the fields their meaning.
struct Event {
  std::uint16_t handler = 0;
  std::uint8_t kind = 0;
  std::uint32_t subject = 0;
  std::uint64_t payload = 0;
};

struct EventHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: names nothing
};

class EventQueue {
 public:
  EventHandle push(TrueTime at, const Event& event);
  // True if the event was still waiting. A handle that names nothing is ignored.
  bool cancel(EventHandle handle);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // REQUIRES: !empty().
  TrueTime next_time() const { return TrueTime::from_ns(heap_.front().time); }
  Event pop();

 private:
  struct Entry {
    std::int64_t time;
    std::uint64_t sequence;
    std::uint32_t slot;
  };
  struct Slot {
    Event event;
    std::uint32_t place = 0;       // in heap_, while waiting
    std::uint32_t generation = 0;  // odd while waiting
  };

  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }
  void put(std::size_t place, const Entry& entry);
  void sift_up(std::size_t place, const Entry& entry);
  void sift_down(std::size_t place, const Entry& entry);
  void remove_at(std::size_t place);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t pushed_ = 0;
};

}  // namespace tenure::sim
