// Events whose last attempt has let its claim run out, and another claim came: they are dead, and nobody was told.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <set>

#include "tests/judge/invariants.h"

namespace tenure::judging {

struct LeftToDie {
  std::set<reference::EventId> events;         // at the end of the run
  std::map<ScheduleId, sim::TrueTime> latest;  // when one of the schedule last became so
};
LeftToDie left_to_die(const Case& run);

}  // namespace tenure::judging
