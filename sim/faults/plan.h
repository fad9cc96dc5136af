// The plan: a scenario's faults with every draw made.
//
// Times of drawn faults, durations, parameters and the targets one, minority and majority are drawn here, before the
// run, each keyed by the fault's permanent id. So a plan is literal: printed and run again, it gives the same trace.
// The targets leader, believer and standby stay: they are looked up when the fault strikes, not drawn. If a fault
// strikes at every event of a kind, the number of strikes is unknown before the run. It stays as it is, and each strike
// is drawn when it comes, by the same keys.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// In the file's order, with a drawn fault's strikes in place of the fault. No `Every` is left.
std::vector<FaultSetting> draw_plan(const Scenario& scenario, KeyedRng rng);

// How many of so many a target stands for: one, a minority, a majority; otherwise all.
std::uint32_t target_size(Target::Kind kind, std::uint32_t all);
// So many of the numbers below `all`, in order.
std::vector<std::uint32_t> drawn_some(KeyedRng rng, std::uint32_t all, std::uint32_t wanted);

// One strike of a fault: everything except its time is drawn from what the fault states. Has the fault's id.
FaultSetting draw_strike_of(const FaultSetting& fault, std::size_t instances, KeyedRng rng);

// Strike number `strike`, from 1, of a fault that strikes at every event: literal, with its own id. `noise` is the
// run's.
FaultSetting draw_strike_at_event(const FaultSetting& fault, std::uint64_t strike, std::size_t instances,
                                  KeyedRng rng);

}  // namespace tenure::sim
