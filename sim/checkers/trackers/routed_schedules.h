// What a scenario says of how its schedules' events are delivered, whatever edits come later: the topic of those that
// are pulled. The rules of an event are those of the version that fired it (event_rules.h).
//
// Thread rule: immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/schedule/definition.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

class RoutedSchedules {
 public:
  // `scenario` is read here only.
  explicit RoutedSchedules(const Scenario& scenario) {
    std::uint32_t next = 0;
    for (const ScheduleSetting& schedule : scenario.schedules)
      add(ScheduleId{next++}, schedule.payload.topic);
    for (const ChangeSetting& change : scenario.changes) add(change.schedule, change.payload.topic);
  }

  // Of its events: what it was created with.
  std::string_view topic(ScheduleId schedule) const {
    const auto found = topics_.find(schedule);
    return found == topics_.end() ? std::string_view{} : found->second;
  }

 private:
  void add(ScheduleId schedule, const std::string& topic) {
    if (!topic.empty()) topics_.emplace(schedule, topic);
  }

  std::map<ScheduleId, std::string> topics_;
};

// Whether any schedule's events go to a destination.
inline bool pushes_events(const Scenario& scenario) {
  const auto pushes = [](const auto& each) { return each.definition.delivery.kind == Delivery::Kind::push; };
  return std::any_of(scenario.schedules.begin(), scenario.schedules.end(), pushes) ||
         std::any_of(scenario.changes.begin(), scenario.changes.end(), pushes);
}

}  // namespace tenure::sim
