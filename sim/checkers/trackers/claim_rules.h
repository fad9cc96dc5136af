// What is wrong with an event that the store hands out to a worker, by what a reader knows of attempts: of its own, and
// of others of its schedule.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "sim/checkers/names.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {

// Of its own attempts: words for a message, one for each thing that is wrong.
std::vector<std::string> wrongs_of_attempt(const ExecutionTracker& executions, const Names& names,
                                           const EventRules::Rules& rules,
                                           const reference::ExecutionToken& token, StoreTime now);

// Of another event of its schedule, that it has to be alone with; empty: nothing. `given`: what the same answer has
// handed out before.
std::string wrong_beside_others(const ExecutionTracker& executions, const Names& names,
                                const EventRules::Rules& rules, const reference::EventId& event,
                                const std::vector<reference::EventId>& given, StoreTime now);

}  // namespace tenure::sim
