// Replaces large numbers in journals by small ones: checkers index by schedule, and people read "n7#2" better than a
// drawn number. Nodes keep the ids that users gave them.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lab/audit/journal_reader.h"

namespace tenure::lab {

struct RealNames {
  std::vector<ScheduleId> schedules;  // in the order of their ids
  std::set<ScheduleId> fired;         // real schedules: the others only name the work of a term
};

// The number of a life that the store named but that has no journal here.
inline constexpr std::uint32_t kNotHere = UINT32_MAX;

// Schedules become 0, 1, …; the lives of a node 1, 2, … in the order of time.
RealNames compact_ids(std::vector<NodeJournal>& journals);

}  // namespace tenure::lab
