// One strike of a fault with everything about it drawn: when, whom, for how long, how badly.
//
// What is drawn follows from the fault's own table (sim/faults/registry.h), so that a new fault is drawn without a line
// here. Half of the strikes come at a time, half at an event of the journal, because that is where races are.
//
// Thread rule: pure functions.
#pragma once

#include "sim/faults/registry.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Whether the fault can change anything in this scenario: one of the store needs somebody who uses it.
bool can_strike(const FaultKind& kind, const Scenario& scenario);

// The longest that a strike lasts, or waits after its event: four times the longest of the protocol's own times, so
// that it outlasts each of them, and no more than half of the fault phase.
Duration longest_strike(const Scenario& scenario);

// The parts of a strike, for whoever changes one of them.
void draw_when(FaultSetting& fault, const Scenario& scenario, KeyedRng rng);
void draw_target(FaultSetting& fault, const FaultKind& kind, KeyedRng rng);
void draw_duration(FaultSetting& fault, const FaultKind& kind, const Scenario& scenario, KeyedRng rng);
void draw_parameters(FaultSetting& fault, const FaultKind& kind, const Scenario& scenario, KeyedRng rng);

}  // namespace tenure::sim
