#include "sim/checkers/trackers/slot_set.h"

#include <algorithm>

namespace tenure::sim {

bool SlotSet::add(StoreTime slot, const Slots* slots) {
  if (contains(slot)) return false;
  if (slots == nullptr || !slots->has(slot)) {
    alone_.add({slot, slot + kStoreResolution});
    return true;
  }
  family_of(*slots).add(slot);
  return true;
}

bool SlotSet::contains(StoreTime slot) const {
  return std::any_of(families_.rbegin(), families_.rend(),
                     [slot](const Family& family) { return family.has(slot); }) ||
         alone_.contains(slot);
}

StoreTime SlotSet::first_missing(StoreTime from, StoreTime to, const Slots& slots) const {
  const Family* family = find(slots);
  auto slot = slots.at_or_after(from);
  while (slot && *slot < to) {
    const StoreTime gap = family != nullptr ? family->ranges.first_gap({*slot, to}).from : *slot;
    if (gap == *slot && !contains(*slot)) return *slot;
    slot = slots.at_or_after(std::max(gap, *slot + kStoreResolution));
  }
  return to;
}

std::vector<StoreRange> SlotSet::missing(StoreRange range, const Slots& slots) const {
  std::vector<StoreRange> all;
  while (range.from < range.to) {
    StoreTime from = first_missing(range.from, range.to, slots);
    const StoreTime first = from;
    while (from < range.to && !contains(from))
      from = std::min(slots.at_or_after(from + kStoreResolution).value_or(range.to), range.to);
    if (first < from) all.push_back({first, from});
    range.from = from;
  }
  return all;
}

std::uint64_t SlotSet::count(StoreTime from, StoreTime to, const Slots& slots) const {
  std::uint64_t here = slots.count(from, to);
  while (from < to) {
    from = first_missing(from, to, slots);
    if (from == to) break;
    --here;
    from += kStoreResolution;
  }
  return here;
}

std::size_t SlotSet::ranges() const {
  std::size_t all = alone_.size();
  for (const Family& family : families_) all += family.ranges.size();
  return all;
}

const SlotSet::Family* SlotSet::find(const Slots& slots) const {
  const auto family = std::find_if(families_.rbegin(), families_.rend(),
                                   [&slots](const Family& other) { return other.slots == slots; });
  return family != families_.rend() ? &*family : nullptr;
}

SlotSet::Family& SlotSet::family_of(const Slots& slots) {
  const auto family = std::find_if(families_.rbegin(), families_.rend(),
                                   [&slots](const Family& other) { return other.slots == slots; });
  if (family != families_.rend()) return *family;
  families_.push_back({slots, {}, {}});
  return families_.back();
}

}  // namespace tenure::sim
