// Draws one strike of a fault: its time, target, duration and strength.
//
// The draws follow the fault's own table (sim/faults/registry.h), so a new fault needs no code here. Half of the
// strikes come at a time, half at an event of the journal, because races happen there.
//
// Thread rule: pure functions.
#pragma once

#include "sim/faults/registry.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// Whether the fault can change anything in this scenario: a fault of the store needs a user of the store.
bool can_strike(const sim::FaultKind& kind, const sim::Scenario& scenario);

// The longest that a strike lasts, or waits after its event: four times the longest of the protocol's own times, so
// that it outlasts each of them, but at most half of the fault phase.
Duration longest_strike(const sim::Scenario& scenario);

// The parts of a strike, for callers that change only one of them.
void draw_when(sim::FaultSetting& fault, const sim::Scenario& scenario, sim::KeyedRng rng);
void draw_target(sim::FaultSetting& fault, const sim::FaultKind& kind, sim::KeyedRng rng);
void draw_duration(sim::FaultSetting& fault, const sim::FaultKind& kind, const sim::Scenario& scenario,
                   sim::KeyedRng rng);
void draw_parameters(sim::FaultSetting& fault, const sim::FaultKind& kind, const sim::Scenario& scenario,
                     sim::KeyedRng rng);

}  // namespace tenure::lab
