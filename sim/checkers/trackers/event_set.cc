#include "sim/checkers/trackers/event_set.h"

namespace tenure::sim {

bool EventSet::add(SlotSet& set, const reference::EventId& event, const ScheduleTracker& tracker) {
  const ScheduleVersion* version = tracker.any_with(event.schedule, event.slot);
  return set.add(event.slot, version != nullptr ? &version->slots : nullptr);
}

bool EventSet::contains(const reference::EventId& event) const {
  const SlotSet* set = find(event);
  return set != nullptr && set->contains(event.slot);
}

const SlotSet* EventSet::slots_of(ScheduleId schedule) const {
  return schedule.value < slots_.size() ? &slots_[schedule.value] : nullptr;
}

const SlotSet* EventSet::find(const reference::EventId& event) const {
  if (event.run == 0) return slots_of(event.schedule);
  const auto run = runs_.find({event.schedule, event.run});
  return run != runs_.end() ? &run->second : nullptr;
}

}  // namespace tenure::sim
