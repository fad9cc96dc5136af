#include "sim/checkers/trackers/work_tracker.h"

#include <algorithm>

namespace tenure::sim {

void WorkTracker::see(TrueTime now, const Record& record) {
  changed_ = false;
  if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::begun) changed_ = begin(now, landed->who, landed->item);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    changed_ = end(ended->who, ended->item.resource);
  }
}

std::span<const Worker> WorkTracker::workers(ResourceId resource) const {
  for (const Track& row : rows_)
    if (row.resource == resource) return row.workers;
  return {};
}

bool WorkTracker::begin(TrueTime now, Incarnation who, const WorkItem& item) {
  std::vector<Worker>& workers = row_of(item.resource);
  for (Worker& worker : workers) {
    if (worker.who != who) continue;
    ++worker.running;
    return false;
  }
  workers.push_back({who, 1, now, item.event});
  return true;
}

bool WorkTracker::end(Incarnation who, ResourceId resource) {
  std::vector<Worker>& workers = row_of(resource);
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

std::vector<Worker>& WorkTracker::row_of(ResourceId resource) {
  for (Track& row : rows_)
    if (row.resource == resource) return row.workers;
  return rows_.emplace_back(Track{resource, {}}).workers;
}

}  // namespace tenure::sim
