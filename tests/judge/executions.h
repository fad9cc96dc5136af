// What becomes of attempts that workers make, for the invariants of other files.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/judge/invariants.h"

namespace tenure::judging {

// Of what workers say in this request is over, or given back: the attempts, and the answers.
std::vector<std::pair<reference::ExecutionToken, reference::Standing>> ends_in(const KeptApplied& applied);

// Events that a worker was told are dead after fewer attempts than their schedules allow, by the place of the answer.
// What was given back does not count.
std::map<std::size_t, std::vector<reference::EventId>> dead_too_early(const Case& run);

// Events whose last attempt has let its claim run out, and another claim came: they are dead, and nobody was told.
struct LeftToDie {
  std::set<reference::EventId> events;         // at the end of the run
  std::map<ScheduleId, sim::TrueTime> latest;  // when one of the schedule last became so
};
LeftToDie left_to_die(const Case& run);

}  // namespace tenure::judging
