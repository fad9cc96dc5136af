// A set of events: slots of schedules, manual runs, slots of backfills. It forgets none. Its size grows with gaps and
// manual runs, not with slots (slot_set.h).
//
// Thread rule: as SlotSet.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/slot_set.h"

namespace tenure::sim {

class EventSet {
 public:
  // False if it was here already. `tracker` knows the schedule's definitions, or some of them.
  bool add(const reference::EventId& event, const ScheduleTracker& tracker) {
    SlotSet& set = set_of(event);
    return set.add_next(event.slot) || add(set, event, tracker);
  }
  bool contains(const reference::EventId& event) const;
  // A schedule's slots, without manual runs and backfills; nullptr when there are none.
  const SlotSet* slots_of(ScheduleId schedule) const;

 private:
  static bool add(SlotSet& set, const reference::EventId& event, const ScheduleTracker& tracker);
  SlotSet& set_of(const reference::EventId& event) {
    if (event.run != 0) return runs_[{event.schedule, event.run}];
    if (slots_.size() <= event.schedule.value) slots_.resize(event.schedule.value + 1);
    return slots_[event.schedule.value];
  }
  const SlotSet* find(const reference::EventId& event) const;

  std::vector<SlotSet> slots_;  // by schedule
  std::map<std::pair<ScheduleId, std::uint64_t>, SlotSet> runs_;
};

}  // namespace tenure::sim
