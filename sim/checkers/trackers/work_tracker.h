// Tracks who works on which resource now: work that has begun and is not over.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/world/record.h"

namespace tenure::sim {

struct Worker {
  Incarnation who;
  std::uint32_t running = 0;  // pieces of work, at least one
  TrueTime since;
  reference::EventId event;  // of the first of them
};

class WorkTracker {
 public:
  void see(TrueTime now, const Record& record);
  // Whether with the last record somebody has begun to work on a resource, or works on it no longer.
  bool changed() const { return changed_; }
  std::span<const Worker> workers(ResourceId resource) const;
  // Whether more than one works on the same resource.
  bool crowded() const;

 private:
  // True if `who` was not working on the resource until now.
  bool begin(TrueTime now, Incarnation who, const WorkItem& item);
  // True if `who` is no longer working on it. An end without a beginning is ignored.
  bool end(Incarnation who, ResourceId resource);

  std::map<ResourceId, std::vector<Worker>> workers_;
  bool changed_ = false;
};

}  // namespace tenure::sim
