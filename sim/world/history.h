// The history hands every record to its observers, and adds it to the trace hash. The ways of requests are not added:
// the timeline has hashed those events already.
//
// Thread rule: one history belongs to one run.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "sim/kernel/timeline.h"
#include "sim/world/record.h"

namespace tenure::sim {

class History {
 public:
  explicit History(Timeline& timeline) : timeline_(timeline) {}

  // Observers see records in the order in which they were added. `observer` must outlive the run.
  void add(Observer& observer);
  void emit(const Record& record);

 private:
  Timeline& timeline_;
  std::array<std::vector<Observer*>, std::variant_size_v<Record>> observers_;  // by kind of record
};

}  // namespace tenure::sim
