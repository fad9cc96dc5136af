// Whether the store is right about slots that overlap, of versions whose events others deliver: it counts the
// schedule's events that are there, those of manual runs and of other versions included (docs/executions.md). The
// leader says of no such slot that it overlaps.
//
// Thread rule: pure functions.
#pragma once

#include <utility>
#include <vector>

#include "sim/checkers/oracle/row_rules.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {

// The rows of a commit that overlap and should not, or the other way round. `events`: before it.
std::vector<std::pair<reference::LedgerRow, WrongRow>> wrong_overlaps(const Applied& applied,
                                                                      const EventRules& rules,
                                                                      const ExecutionTracker& events);

}  // namespace tenure::sim
