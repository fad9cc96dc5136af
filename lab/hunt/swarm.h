// The swarm: for each seed another mix of faults, and another cluster to strike.
//
// If everything breaks at once, a run hides what one fault alone would show. So for each seed about half of the
// families of faults are left out, and the rest come as often as drawn. Half of all seeds stay inside the claims of the
// protocol and the scheduler, so that every claim is tested without an excuse; the other half go beyond. Source: Groce,
// Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012.
//
//   1. A case is a pure function of (scenario, seed).
//   2. A case is literal: no fault is left to draw, so its file and its seed give the same trace.
//   3. Removing one fault changes the draws of no other.
//   4. A case keeps to what the file states about its faults (envelope.h), unless the file asks for more.
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

namespace tenure::lab {

// One run of a hunt.
struct Case {
  sim::Scenario scenario;  // literal; holds the seed
  bool inside = false;     // no fault breaks an assumption of a claim
  bool mutated = false;    // made from an earlier case; otherwise drawn from the seed alone
};

// The scenario as hunts judge it. Thresholds are left out, because they are for runs that belong together. The file's
// other plans ([tune], [exhaustive]) are left out, because a case without a schedule might not fit them, and its file
// would be invalid. A canary's checker may fail; every event of `sometimes` is counted. `always` demands what it lists
// whatever breaks, as in a run. But if a file has neither faults nor [hunt], it did not mean a hunt's faults, and
// claims alone decide. Two leaders beyond the claims are only reported.
format::ScenarioFile as_hunted(const format::ScenarioFile& file);

// What the file's [expect] demands of runs but not of hunts, in words, and what to do; empty when there is nothing.
std::string not_demanded(const format::ScenarioFile& file);

// The case of a seed. REQUIRES: `hunted` is from as_hunted().
Case draw_case(const format::ScenarioFile& hunted, std::uint64_t seed);

// Whether a claim of the protocol or of the scheduler assumes this.
bool rests_on(const sim::Scenario& scenario, Assumption assumption);
// Whether the settings and the faults of a scenario break no assumption of a claim.
bool inside_claims(const sim::Scenario& scenario);

// The kinds of fault that a hunt of this scenario may draw.
std::vector<const sim::FaultKind*> drawable(const format::ScenarioFile& hunted);

// Draws one literal strike of a fault.
sim::FaultSetting draw_strike(const sim::FaultKind& kind, const sim::Scenario& scenario, sim::KeyedRng rng);

// A length between `low` and `high`. Its order of magnitude is drawn first, so that short and long are equally likely.
Duration draw_magnitude(sim::KeyedRng rng, Duration low, Duration high);

}  // namespace tenure::lab
