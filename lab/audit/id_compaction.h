// Small names for what journals call by large numbers: checkers index by schedule, and people read "n7#2" better than a
// drawn number. Nodes keep the ids that users gave them.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lab/audit/journal_reader.h"

namespace tenure::sim {

struct RealNames {
  std::vector<ScheduleId> schedules;  // in the order of their ids
  std::set<ScheduleId> fired;         // those of them that are more than what the work of a term is called by
};

// The number of a life that the store named and that no journal here is of.
inline constexpr std::uint32_t kNotHere = UINT32_MAX;

// Schedules become 0, 1, …; the lives of a node 1, 2, … in the order of time.
RealNames compact_ids(std::vector<NodeJournal>& journals);

}  // namespace tenure::sim
