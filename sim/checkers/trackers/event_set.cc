#include "sim/checkers/trackers/event_set.h"

namespace tenure::sim {

bool EventSet::add(const reference::EventId& event, const ScheduleTracker& tracker) {
  SlotSet& set = set_of(event);
  if (set.add_next(event.slot)) return true;
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

SlotSet& EventSet::set_of(const reference::EventId& event) {
  if (event.run != 0) return runs_[{event.schedule, event.run}];
  if (slots_.size() <= event.schedule.value) slots_.resize(event.schedule.value + 1);
  return slots_[event.schedule.value];
}

const SlotSet* EventSet::find(const reference::EventId& event) const {
  if (event.run == 0) return slots_of(event.schedule);
  const auto run = runs_.find({event.schedule, event.run});
  return run != runs_.end() ? &run->second : nullptr;
}

}  // namespace tenure::sim
