#include "sim/kernel/event_queue.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::sim {
namespace {
constexpr std::size_t kArity = 4;
}

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
  for (;;) {
    const std::size_t first = place * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (!before(heap_[least], entry)) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, entry);
}

}  // namespace tenure::sim
