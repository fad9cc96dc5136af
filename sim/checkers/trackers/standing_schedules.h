// The versions of the schedules that have not been deleted: a value for a StoreHistory.
//
// Thread rule: one value belongs to one reader.
#pragma once

#include <map>

#include "sim/checkers/trackers/schedule_tracker.h"

namespace tenure::sim {

struct StandingSchedules {
  ScheduleTracker tracker;
  std::map<ScheduleId, std::uint32_t> deleted_before = {};  // versions below this index are deleted ones

  ScheduleTracker::Change see(const Applied& applied) {
    const ScheduleTracker::Change change = tracker.see(applied);
    if (change.what == ScheduleTracker::Edit::deleted)
      deleted_before[change.schedule] = tracker.version_count();
    return change;
  }
  bool stands(const ScheduleVersion& version) const {
    const auto deleted = deleted_before.find(version.schedule);
    return deleted == deleted_before.end() || version.index >= deleted->second;
  }
  // Calls see(version) for each.
  template <class See>
  void for_each(See&& see) const {
    for (std::uint32_t id = 0; id < tracker.schedule_count(); ++id)
      for (const ScheduleVersion& version : tracker.versions(ScheduleId{id}))
        if (stands(version)) see(version);
  }
};

}  // namespace tenure::sim
