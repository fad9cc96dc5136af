#include "sim/checkers/slot_set.h"

#include <algorithm>

namespace tenure::sim {

bool SlotSet::add(StoreTime slot, Duration period) {
  if (runs_.size() == 1 && runs_.front().period == period && runs_.front().last + period == slot &&
      period > Duration{}) {
    runs_.front().last = slot;
    return true;
  }
  if (contains(slot)) return false;
  Run* before = nullptr;  // ends one period before the slot
  Run* after = nullptr;   // begins one period after it
  if (period > Duration{}) {
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      if (run->period != period) continue;
      if (run->last + period == slot) before = &*run;
      if (slot + period == run->first) after = &*run;
      if (before != nullptr) break;
    }
  }
  if (before != nullptr && after != nullptr) {
    before->last = after->last;
    runs_.erase(runs_.begin() + (after - runs_.data()));
  } else if (before != nullptr) {
    before->last = slot;
  } else if (after != nullptr) {
    after->first = slot;
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  } else {
    const auto place = std::upper_bound(runs_.begin(), runs_.end(), slot,
                                        [](StoreTime time, const Run& run) { return time < run.first; });
    runs_.insert(place, Run{slot, slot, period});
    if (runs_.size() > kMaxRuns) runs_.erase(runs_.begin());
  }
  return true;
}

bool SlotSet::contains(StoreTime slot) const {
  return std::any_of(runs_.rbegin(), runs_.rend(), [slot](const Run& run) { return run.has(slot); });
}

StoreTime SlotSet::first_missing(StoreTime from, StoreTime to, Duration period) const {
  StoreTime slot = from;
  while (slot < to) {
    const auto run = std::find_if(runs_.begin(), runs_.end(),
                                  [slot](const Run& candidate) { return candidate.has(slot); });
    if (run == runs_.end()) return slot;
    slot = run->period == period ? run->last + period : slot + period;
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
