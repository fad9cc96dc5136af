// The event queue: what happens next, by time and then by order of insertion.
//
// The next few events are in order, in an array; the others are in a 4-ary heap. Few runs have more than a few at a
// time, and an array of a kilobyte costs less than a heap. Every event knows its place. So cancel() removes an event at
// once, and a timer that is set and cancelled a million times leaves nothing behind.
//
//   I1. Events come out in increasing (time, sequence); sequence is the order of push.
//   I2. A handle names one event; once that event is out or cancelled, the handle names nothing.
//   I3. No event in the heap comes before one in the array, and the array is empty only if the queue is.
//
// Thread rule: one queue belongs to one run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/int128.h"
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

  bool empty() const { return next_count_ == 0; }
  std::size_t size() const { return next_count_ + heap_.size(); }
  // REQUIRES: !empty().
  TrueTime next_time() const {
    return TrueTime::from_ns(static_cast<std::int64_t>(next_[next_count_ - 1] >> 64U));
  }
  Event pop();

 private:
  // (time, sequence, slot) as one number: which of two comes first is no branch that the processor could guess. No time
  // is before zero, and no two events have the same sequence.
  using Key = uint128;
  static constexpr std::uint32_t kSlotBits = 24;
  static constexpr std::size_t kNext = 64;
  static constexpr std::uint32_t kIsNext = UINT32_MAX;

  struct Slot {
    Event event;
    Key key = 0;
    std::uint32_t place = 0;       // in heap_, while waiting; kIsNext: in next_
    std::uint32_t generation = 0;  // odd while waiting
  };

  static std::uint32_t slot_of(Key key) {
    return static_cast<std::uint32_t>(key) & ((std::uint32_t{1} << kSlotBits) - 1);
  }
  std::uint32_t take_slot();
  void free_slot(std::uint32_t slot);
  // I3.
  void put(Key key);
  void put_in_order(Key key);
  void refill();

  // ---- the heap ----
  void set(std::size_t place, Key key);
  void put_in_heap(Key key);
  void sift_up(std::size_t place, Key key);
  void sift_down(std::size_t place, Key key);
  void remove_from_heap(std::size_t place);

  std::array<Key, kNext> next_;  // the first of all is the last one
  std::size_t next_count_ = 0;
  std::vector<Key> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t pushed_ = 0;
};

}  // namespace tenure::sim
