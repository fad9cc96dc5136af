// The swarm: for each seed another mix of faults, and another cluster to strike.
//
// A run in which everything breaks at once hides what one fault alone would show. So for each seed about half of the
// families of faults stay away, and the rest come as often as drawn; half of all seeds stay inside what the protocol
// and the scheduler claim, so that every claim is tested with nothing to excuse it, and half go beyond. Source: Groce,
// Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012.
//
//   1. A case is a pure function of (scenario, seed).
//   2. A case is literal: no fault is left to be drawn, so that its file and its seed give the same trace.
//   3. Whoever takes a fault away redraws none of the others.
//   4. What the file states of its faults is kept to (envelope.h), unless it asks for more.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/plans/plans.h"
#include "sim/faults/registry.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// One run of a hunt.
struct Case {
  Scenario scenario;     // literal; holds the seed
  bool inside = false;   // no fault breaks what a claim of the protocol or the scheduler rests on
  bool mutated = false;  // made from an earlier case; else drawn anew, from the seed alone
};

// The scenario as hunts judge it. Thresholds are for runs that belong together, and left out, as is what the file plans
// besides hunts ([tune], [exhaustive]): a case that drops a schedule need not be fit for it, and would be no file any
// more. A canary's checker is one that may be found to fail; every event of `sometimes` is counted. `always` demands
// what it lists whatever breaks, as in a run; but a file that has neither faults nor [hunt] did not mean the faults of
// a hunt; claims alone decide. Two who lead beyond the claims are reported, and no more.
ScenarioFile as_hunted(const ScenarioFile& file);

// What the file's [expect] demands of runs and not of hunts, in words, and what to do; empty when there is nothing.
std::string not_demanded(const ScenarioFile& file);

// The case of a seed. REQUIRES: `hunted` is from as_hunted().
Case draw_case(const ScenarioFile& hunted, std::uint64_t seed);

// Whether the settings and the faults of a scenario break nothing that a claim rests on.
bool inside_claims(const Scenario& scenario);

// The kinds of fault that a hunt of this scenario may draw.
std::vector<const FaultKind*> drawable(const ScenarioFile& hunted);

// One literal strike of a fault, with everything about it drawn.
FaultSetting draw_strike(const FaultKind& kind, const Scenario& scenario, KeyedRng rng);

// A length between `low` and `high` whose order of magnitude is drawn first, so that short and long are as likely.
Duration draw_magnitude(KeyedRng rng, Duration low, Duration high);

}  // namespace tenure::sim
