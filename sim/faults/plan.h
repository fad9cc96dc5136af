// The plan: a scenario's faults with every draw made.
//
// Times of drawn faults, durations, parameters and the targets one, minority and majority are drawn here, before the
// run, each keyed by the fault's permanent id; so a plan is literal, and printed and run again it gives the same trace.
// leader, believer and standby stay what they are: they are looked up, not drawn, when the fault strikes.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "sim/kernel/noise.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// In the file's order, a drawn fault's strikes in the place of the fault. No `Every` is left.
std::vector<FaultSetting> draw_plan(const Scenario& scenario, Noise noise);

}  // namespace tenure::sim
