#include "sim/checkers/slot_set.h"

#include <algorithm>

namespace tenure::sim {

bool SlotSet::add(StoreTime slot, const Step& step) {
  if (runs_.size() == 1 && runs_.front().ends_before(slot, step)) {
    runs_.front().last = slot;
    return true;
  }
  if (contains(slot, step.calendar)) return false;
  Run* before = nullptr;
  Run* after = nullptr;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (run->ends_before(slot, step)) before = &*run;
    if (run->begins_after(slot, step)) after = &*run;
    if (before != nullptr) break;
  }
  if (before != nullptr && after != nullptr) {
    before->last = after->last;
    runs_.erase(runs_.begin() + (after - runs_.data()));
  } else if (before != nullptr) {
    before->last = slot;
  } else if (after != nullptr) {
    after->first = slot;
    after->before = step.distance;
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  } else {
    const auto place = std::upper_bound(runs_.begin(), runs_.end(), slot,
                                        [](StoreTime time, const Run& run) { return time < run.first; });
    const Duration period = step.calendar == 0 ? step.distance : Duration{};
    runs_.insert(place, Run{slot, slot, step.distance, period, step.calendar});
    if (runs_.size() > kMaxRuns) runs_.erase(runs_.begin());
  }
  return true;
}

bool SlotSet::contains(StoreTime slot, std::uint32_t calendar) const {
  return std::any_of(runs_.rbegin(), runs_.rend(),
                     [slot, calendar](const Run& run) { return run.has(slot, calendar); });
}

StoreTime SlotSet::first_missing(StoreTime from, StoreTime to, const Slots& slots,
                                 std::uint32_t calendar) const {
  auto slot = slots.at_or_after(from);
  while (slot && *slot < to) {
    const auto run = std::find_if(runs_.begin(), runs_.end(), [&slot, calendar](const Run& candidate) {
      return candidate.has(*slot, calendar);
    });
    if (run == runs_.end()) return *slot;
    const bool all_of_them = run->goes_by({slots.period(), calendar});
    slot = slots.at_or_after((all_of_them ? run->last : *slot) + kStoreResolution);
  }
  return to;
}

std::optional<StoreTime> SlotSet::last() const {
  if (runs_.empty()) return std::nullopt;
  return std::max_element(runs_.begin(), runs_.end(),
                          [](const Run& a, const Run& b) { return a.last < b.last; })
      ->last;
}

}  // namespace tenure::sim
