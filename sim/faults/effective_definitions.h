// Which definition of each schedule is in force, and from when to when: as the file has it, and as clients change it.
//
// Thread rule: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct EffectiveDefinition {
  ScheduleId schedule;
  std::string_view name;
  const Definition* definition = nullptr;
  StoreTime from;
  StoreTime to;  // the next change, or the end of the run
};

// Those that fire: a paused schedule has none. What they point to is the scenario's.
std::vector<EffectiveDefinition> effective_definitions(const Scenario& scenario);

// The least time between two slots that come due while it is in force, of the first hundred; max() when there are not
// two.
Duration least_gap(const EffectiveDefinition& effective);

}  // namespace tenure::sim
