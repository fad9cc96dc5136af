#include "sim/kernel/event_queue.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::sim {
namespace {
constexpr std::size_t kArity = 4;

// (time, sequence) as one number: which of two comes first is no branch that the processor could guess. No time is
// before zero.
template <class Entry>
uint128 key(const Entry& entry) {
  return (uint128{static_cast<std::uint64_t>(entry.time)} << 64U) | entry.sequence;
}
}  // namespace

EventHandle EventQueue::push(TrueTime at, const Event& event) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].event = event;
  ++slots_[slot].generation;
  heap_.emplace_back();
  sift_up(heap_.size() - 1, Entry{at.ns(), pushed_++, slot});
  return {slot, slots_[slot].generation};
}

bool EventQueue::cancel(EventHandle handle) {
  if (handle.generation == 0 || slots_[handle.slot].generation != handle.generation) return false;
  remove_at(slots_[handle.slot].place);
  return true;
}

Event EventQueue::pop() {
  CHECK(!heap_.empty());
  const Event event = slots_[heap_.front().slot].event;
  remove_at(0);
  return event;
}

void EventQueue::remove_at(std::size_t place) {
  const std::uint32_t slot = heap_[place].slot;
  ++slots_[slot].generation;
  free_.push_back(slot);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && before(last, heap_[(place - 1) / kArity]))
    sift_up(place, last);
  else
    sift_down(place, last);
}

void EventQueue::put(std::size_t place, const Entry& entry) {
  heap_[place] = entry;
  slots_[entry.slot].place = static_cast<std::uint32_t>(place);
}

void EventQueue::sift_up(std::size_t place, const Entry& entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kArity;
    if (!before(entry, heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, entry);
}

void EventQueue::sift_down(std::size_t place, const Entry& entry) {
  const uint128 own = key(entry);
  for (;;) {
    const std::size_t first = place * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    uint128 least_key = key(heap_[first]);
    for (std::size_t child = first + 1; child < end; ++child) {
      const uint128 its = key(heap_[child]);
      least = its < least_key ? child : least;
      least_key = its < least_key ? its : least_key;
    }
    if (own < least_key) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, entry);
}

}  // namespace tenure::sim
