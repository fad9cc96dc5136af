// Tracks who works on which resource now: work that has begun and is not over.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/env.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct Worker {
  Incarnation who;
  std::uint32_t running = 0;  // pieces of work, at least one
  TrueTime since;
  reference::EventId event;  // of the first of them
};

class WorkTracker {
 public:
  // True if `who` was not working on the resource until now.
  bool begin(TrueTime now, Incarnation who, const WorkItem& item);
  // True if `who` is no longer working on it. An end without a beginning is ignored.
  bool end(Incarnation who, ResourceId resource);
  const std::vector<Worker>& workers(ResourceId resource) { return row_of(resource).workers; }
  // Whether more than one works on the same resource.
  bool crowded() const;

 private:
  struct Track {
    ResourceId resource;
    std::vector<Worker> workers;
  };
  Track& row_of(ResourceId resource);
  std::vector<Track> rows_;
};

}  // namespace tenure::sim
