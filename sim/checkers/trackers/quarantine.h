// Tracks which versions a leader need not fire any more: it could not read them, and has let the others try.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <set>
#include <tuple>

#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/unread_tracker.h"

namespace tenure::sim {

class Quarantine {
 public:
  // Its leadership is over, and was long enough for it to notice.
  void left(Incarnation who, const ScheduleTracker& schedules, const UnreadTracker& unread) {
    for (std::uint32_t id = 0; id < schedules.schedule_count(); ++id) {
      if (!unread.contains(who.node, ScheduleId{id})) continue;
      for (const ScheduleVersion& version : schedules.versions(ScheduleId{id}))
        versions_.insert({who, version.schedule, version.number});
    }
  }
  bool contains(Incarnation who, const ScheduleVersion& version) const {
    return versions_.contains({who, version.schedule, version.number});
  }

 private:
  std::set<std::tuple<Incarnation, ScheduleId, std::uint32_t>> versions_;
};

}  // namespace tenure::sim
