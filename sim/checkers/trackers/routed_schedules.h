// Which schedules of a scenario have their events delivered elsewhere: pushed to a destination, or pulled. Their work
// is not the leader's, so what is asked of a leader's work is not asked of it.
//
// A schedule counts as such if any of its versions does.
//
// Thread rule: immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/schedule/definition.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

class RoutedSchedules {
 public:
  // `scenario` is read here only.
  explicit RoutedSchedules(const Scenario& scenario) {
    std::uint32_t next = 0;
    for (const ScheduleSetting& schedule : scenario.schedules) add(ScheduleId{next++}, schedule.definition);
    for (const ChangeSetting& change : scenario.changes)
      if (change.action == ChangeAction::create || change.action == ChangeAction::update)
        add(change.schedule, change.definition);
  }

  bool empty() const { return deliveries_.empty(); }
  // How its events are delivered; nullptr: as work of the leader's own process.
  const Delivery* find(ScheduleId schedule) const {
    const auto found = deliveries_.find(schedule);
    return found == deliveries_.end() ? nullptr : &found->second;
  }

 private:
  void add(ScheduleId schedule, const Definition& definition) {
    if (definition.delivery.kind != Delivery::Kind::work)
      deliveries_.try_emplace(schedule, definition.delivery);
  }
  std::map<ScheduleId, Delivery> deliveries_;  // the first that is no work
};

// Whether any schedule's events go to a destination.
inline bool pushes_events(const Scenario& scenario) {
  const auto pushes = [](const auto& each) { return each.definition.delivery.kind == Delivery::Kind::push; };
  return std::any_of(scenario.schedules.begin(), scenario.schedules.end(), pushes) ||
         std::any_of(scenario.changes.begin(), scenario.changes.end(), pushes);
}

}  // namespace tenure::sim
