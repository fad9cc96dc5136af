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
  const auto workers = workers_.find(resource);
  return workers != workers_.end() ? std::span(workers->second) : std::span<const Worker>();
}

bool WorkTracker::begin(TrueTime now, Incarnation who, const WorkItem& item) {
  std::vector<Worker>& workers = workers_[item.resource];
  for (Worker& worker : workers) {
    if (worker.who != who) continue;
    ++worker.running;
    return false;
  }
  workers.push_back({who, 1, now, item.event});
  return true;
}

bool WorkTracker::end(Incarnation who, ResourceId resource) {
  std::vector<Worker>& workers = workers_[resource];
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
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& each) { return each.second.size() > 1; });
}

}  // namespace tenure::sim
