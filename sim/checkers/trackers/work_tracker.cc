#include "sim/checkers/trackers/work_tracker.h"

#include <algorithm>

namespace tenure::sim {

bool WorkTracker::begin(TrueTime now, Incarnation who, const WorkItem& item) {
  std::vector<Worker>& workers = row_of(item.resource).workers;
  for (Worker& worker : workers) {
    if (worker.who != who) continue;
    ++worker.running;
    return false;
  }
  workers.push_back({who, 1, now, item.event});
  return true;
}

bool WorkTracker::end(Incarnation who, ResourceId resource) {
  std::vector<Worker>& workers = row_of(resource).workers;
  for (Worker& worker : workers) {
    if (worker.who != who) continue;
    if (--worker.running > 0) return false;
    worker = workers.back();  // their order says nothing
    workers.pop_back();
    return true;
  }
  return false;
}

bool WorkTracker::crowded() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Track& row) { return row.workers.size() > 1; });
}

WorkTracker::Track& WorkTracker::row_of(ResourceId resource) {
  for (Track& row : rows_) {
    if (row.resource == resource) return row;
  }
  rows_.push_back({resource, {}});
  return rows_.back();
}

}  // namespace tenure::sim
