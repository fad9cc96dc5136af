#include "sim/kernel/event_queue.h"

#include <algorithm>
#include <functional>

#include "core/base/check.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kArity = 4;

}  // namespace

EventHandle EventQueue::push(TrueTime at, const Event& event) {
  const std::uint32_t number = take_slot();
  Slot& slot = slots_[number];
  slot.event = event;
  slot.key = (Key{static_cast<std::uint64_t>(at.ns())} << 64U) | (pushed_++ << kSlotBits) | number;
  put(slot.key);
  return {number, ++slot.generation};
}

bool EventQueue::cancel(EventHandle handle) {
  if (handle.generation == 0 || slots_[handle.slot].generation != handle.generation) return false;
  const Slot& slot = slots_[handle.slot];
  if (slot.place == kIsNext) {
    Key* const end = next_.data() + next_count_--;
    Key* const place = std::lower_bound(next_.data(), end, slot.key, std::greater<>());
    std::move(place + 1, end, place);
    if (next_count_ == 0) refill();
  } else {
    remove_from_heap(slot.place);
  }
  free_slot(handle.slot);
  return true;
}

Event EventQueue::pop() {
  CHECK(!empty());
  const std::uint32_t slot = slot_of(next_[--next_count_]);
  if (next_count_ == 0) refill();
  free_slot(slot);
  return slots_[slot].event;
}

std::uint32_t EventQueue::take_slot() {
  if (free_.empty()) {
    CHECK(slots_.size() < std::size_t{1} << kSlotBits, "no run has so many events at a time");
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void EventQueue::free_slot(std::uint32_t slot) {
  ++slots_[slot].generation;
  free_.push_back(slot);
}

void EventQueue::put(Key key) {
  if (!heap_.empty() && heap_.front() < key) return put_in_heap(key);
  if (next_count_ < kNext) return put_in_order(key);
  if (next_.front() < key) return put_in_heap(key);
  put_in_heap(next_.front());
  std::move(next_.begin() + 1, next_.end(), next_.begin());
  --next_count_;
  put_in_order(key);
}

void EventQueue::put_in_order(Key key) {
  Key* const end = next_.data() + next_count_++;
  Key* const place = std::lower_bound(next_.data(), end, key, std::greater<>());
  std::move_backward(place, end, end + 1);
  *place = key;
  slots_[slot_of(key)].place = kIsNext;
}

// With half of what there is room for: what comes next is mostly sooner than what waits.
void EventQueue::refill() {
  std::size_t count = std::min(heap_.size(), kNext / 2);
  next_count_ = count;
  while (count > 0) {
    const Key key = heap_.front();
    remove_from_heap(0);
    next_[--count] = key;
    slots_[slot_of(key)].place = kIsNext;
  }
}

// ---- the heap ----------------------------------------------------------------------------------------------

void EventQueue::set(std::size_t place, Key key) {
  heap_[place] = key;
  slots_[slot_of(key)].place = static_cast<std::uint32_t>(place);
}

void EventQueue::put_in_heap(Key key) {
  heap_.emplace_back();
  sift_up(heap_.size() - 1, key);
}

void EventQueue::remove_from_heap(std::size_t place) {
  const Key last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && last < heap_[(place - 1) / kArity])
    sift_up(place, last);
  else
    sift_down(place, last);
}

void EventQueue::sift_up(std::size_t place, Key key) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kArity;
    if (heap_[parent] < key) break;
    set(place, heap_[parent]);
    place = parent;
  }
  set(place, key);
}

void EventQueue::sift_down(std::size_t place, Key key) {
  for (;;) {
    const std::size_t first = place * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child)
      least = heap_[child] < heap_[least] ? child : least;
    if (key < heap_[least]) break;
    set(place, heap_[least]);
    place = least;
  }
  set(place, key);
}

}  // namespace tenure::sim
