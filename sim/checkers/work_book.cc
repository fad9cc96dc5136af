#include "sim/checkers/work_book.h"

#include <algorithm>

namespace tenure::sim {

bool WorkBook::begin(TrueTime now, Incarnation who, const WorkItem& item) {
  std::vector<Worker>& workers = row_of(item.resource).workers;
  for (Worker& worker : workers) {
    if (worker.who != who) continue;
    ++worker.running;
    return false;
  }
  workers.push_back({who, 1, now, item.event});
  return true;
}

bool WorkBook::end(Incarnation who, ResourceId resource) {
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

bool WorkBook::crowded() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.workers.size() > 1; });
}

WorkBook::Row& WorkBook::row_of(ResourceId resource) {
  for (Row& row : rows_) {
    if (row.resource == resource) return row;
  }
  rows_.push_back({resource, {}});
  return rows_.back();
}

}  // namespace tenure::sim
