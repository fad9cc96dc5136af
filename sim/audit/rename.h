// Small names for what journals call by large numbers: checkers index by schedule, and people read "n2" better than a
// drawn number.
//
// Thread rule: pure functions and values.
#pragma once

#include <set>
#include <vector>

#include "sim/audit/read.h"

namespace tenure::sim {

struct RealNames {
  std::vector<NodeId> nodes;          // n1 is nodes[0]: in the order of their ids
  std::vector<ScheduleId> schedules;  // likewise
  std::set<ScheduleId> fired;         // those of them that are more than what the work of a term is called by
};

// Nodes and schedules become 0, 1, …; the lives of a node 1, 2, … in the order of time.
RealNames rename(std::vector<Journal>& journals);

}  // namespace tenure::sim
