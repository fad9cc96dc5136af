// What a scenario says of how its schedules' events are delivered, whatever edits come later: the topic of those that
// are pulled. The rules of an event are those of the version that fired it (event_rules.h).
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/schedule/definition.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Calls see(schedule, setting) for each schedule of the scenario, and for each change.
template <class See>
void for_each_setting(const Scenario& scenario, See&& see) {
  std::uint32_t next = 0;
  for (const ScheduleSetting& schedule : scenario.schedules) see(ScheduleId{next++}, schedule);
  for (const ChangeSetting& change : scenario.changes) see(change.schedule, change);
}

class RoutedSchedules {
 public:
  // `scenario` is read here only.
  explicit RoutedSchedules(const Scenario& scenario) {
    for_each_setting(scenario, [this](ScheduleId schedule, const auto& setting) {
      const std::string& topic = setting.payload.topic;
      if (!topic.empty()) topics_.emplace(schedule, topic);
    });
  }

  // Of its events: what it was created with.
  std::string_view topic(ScheduleId schedule) const {
    const auto found = topics_.find(schedule);
    return found == topics_.end() ? std::string_view{} : found->second;
  }

 private:
  std::map<ScheduleId, std::string> topics_;
};

// Whether any schedule's events go to a destination.
inline bool pushes_events(const Scenario& scenario) {
  bool any = false;
  for_each_setting(scenario, [&any](ScheduleId, const auto& setting) {
    any = any || setting.definition.delivery.kind == Delivery::Kind::push;
  });
  return any;
}

}  // namespace tenure::sim
