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
    for (const ScheduleSetting& schedule : scenario.schedules) {
      if (!schedule.payload.topic.empty()) topics_.emplace(ScheduleId{next}, schedule.payload.topic);
      add(ScheduleId{next++}, schedule.definition);
    }
    for (const ChangeSetting& change : scenario.changes) {
      if (change.action == ChangeAction::create || change.action == ChangeAction::update)
        add(change.schedule, change.definition);
      if (!change.payload.topic.empty()) topics_.emplace(change.schedule, change.payload.topic);
    }
  }

  bool empty() const { return deliveries_.empty(); }
  // How its events are delivered; nullptr: as work of the leader's own process.
  const Delivery* find(ScheduleId schedule) const {
    const auto found = deliveries_.find(schedule);
    return found == deliveries_.end() ? nullptr : &found->second;
  }
  // Of its events: what it was created with.
  std::string_view topic(ScheduleId schedule) const {
    const auto found = topics_.find(schedule);
    return found == topics_.end() ? std::string_view{} : found->second;
  }
  bool is_pulled(ScheduleId schedule) const {
    const Delivery* delivery = find(schedule);
    return delivery != nullptr && delivery->kind == Delivery::Kind::pull;
  }
  // After how many attempts that failed its events are dead: by its versions, at least and at most.
  std::uint32_t least_attempts(ScheduleId schedule) const { return bounds_of(schedule).least; }
  std::uint32_t most_attempts(ScheduleId schedule) const { return bounds_of(schedule).most; }
  // Whether of its events one is handed out at a time, at least of those of some version.
  bool is_one_at_a_time(ScheduleId schedule) const { return bounds_of(schedule).one_at_a_time; }
  // Whether one that could be handed out may have to wait while another is worked on, at least by some version. In
  // strict order the first one waits for nobody.
  bool may_wait_for_another(ScheduleId schedule) const { return bounds_of(schedule).may_wait_for_another; }
  // Whether an event may give way to a later one, at least by some version; by all of them.
  bool replaces(ScheduleId schedule) const { return bounds_of(schedule).replaces; }
  bool always_replaces(ScheduleId schedule) const { return bounds_of(schedule).always_replaces; }

 private:
  void add(ScheduleId schedule, const Definition& definition) {
    Bounds& bounds = bounds_[schedule];
    bounds.always_replaces = bounds.always_replaces && definition.overlap == Overlap::replace;
    if (definition.delivery.kind == Delivery::Kind::work) return;
    deliveries_.try_emplace(schedule, definition.delivery);
    bounds.least = std::min(bounds.least, definition.delivery.attempts);
    bounds.most = std::max(bounds.most, definition.delivery.attempts);
    bounds.one_at_a_time =
        bounds.one_at_a_time || definition.overlap != Overlap::allow || definition.delivery.strict_order;
    bounds.may_wait_for_another = bounds.may_wait_for_another ||
                                  (definition.overlap != Overlap::allow && !definition.delivery.strict_order);
    bounds.replaces = bounds.replaces || definition.overlap == Overlap::replace;
  }
  struct Bounds {
    std::uint32_t least = UINT32_MAX;
    std::uint32_t most = 0;
    bool one_at_a_time = false;
    bool may_wait_for_another = false;
    bool replaces = false;
    bool always_replaces = true;
  };
  Bounds bounds_of(ScheduleId schedule) const {
    const auto found = bounds_.find(schedule);
    return found == bounds_.end() ? Bounds{} : found->second;
  }

  std::map<ScheduleId, Bounds> bounds_;
  std::map<ScheduleId, std::string> topics_;
  std::map<ScheduleId, Delivery> deliveries_;  // the first that is no work
};

// Whether any schedule's events go to a destination.
inline bool pushes_events(const Scenario& scenario) {
  const auto pushes = [](const auto& each) { return each.definition.delivery.kind == Delivery::Kind::push; };
  return std::any_of(scenario.schedules.begin(), scenario.schedules.end(), pushes) ||
         std::any_of(scenario.changes.begin(), scenario.changes.end(), pushes);
}

}  // namespace tenure::sim
