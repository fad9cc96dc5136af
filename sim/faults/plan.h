// The plan: a scenario's faults with every draw made.
//
// Times of drawn faults, durations, parameters and the targets one, minority and majority are drawn here, before the
// run, each keyed by the fault's permanent id; so a plan is literal, and printed and run again it gives the same trace.
// leader, believer and standby stay what they are: they are looked up, not drawn, when the fault strikes. Of a fault
// that strikes at every event of a kind nobody knows before the run how often it will: it stays as it is; each strike
// is drawn as it comes, by the same keys.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// In the file's order, a drawn fault's strikes in the place of the fault. No `Every` is left.
std::vector<FaultSetting> draw_plan(const Scenario& scenario, KeyedRng rng);

// One strike of a fault, with all but its time drawn from what the fault states. Has the fault's id.
FaultSetting draw_strike_of(const FaultSetting& fault, std::size_t instances, KeyedRng rng);

// One strike, from 1, of a fault that strikes at every event; literal, with an id of its own. `noise` is the run's.
FaultSetting draw_strike_at_event(const FaultSetting& fault, std::uint64_t strike, std::size_t instances,
                                  KeyedRng rng);

}  // namespace tenure::sim
