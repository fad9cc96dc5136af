// Generators for RapidCheck: whole scenarios, and their parts. A failure shrinks to fewer, shorter and rounder faults,
// fewer instances, and simpler clocks, latencies, schedules and parameters.
//
//   1. A generated scenario is literal, and has its seed: if it is printed, the file gives the same run.
//   2. Every step of a shrink is a scenario of the same kind: if it was drawn within the claims, it stays within them.
//   3. Faults are drawn as a hunt draws them (lab/hunt/swarm.h), and [hunt] of the file at hand says which.
//
// Thread rule: generators are values, and may be used from any thread.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "format/parse/parse.h"
#include "format/plans/plans.h"
#include "lab/hunt/shrink.h"
#include "lab/testing/draws.h"
#include "lab/testing/run.h"
#include "lab/testing/show.h"
#include "sim/scenario/scenario.h"

namespace tenure::testing {

// What is drawn. Everything else stays as in the scenario.
struct Drawn {
  bool faults = true;                     // besides those of the scenario, each of which is kept or left out
  bool cluster = false;                   // the number of instances, clocks and latencies
  std::size_t schedules = 0;              // at most this many, besides those of the scenario
  std::optional<Safety> parameters = {};  // of the election
  bool within_claims = false;             // nothing breaks the assumptions of the protocol's claims
  const TimeZones& zones = only_utc();
};

// Scenarios like `base`. Of its expectations, only the claims and its `eventually` remain.
rc::Gen<sim::Scenario> scenarios(const format::ScenarioFile& base, const Drawn& drawn = {});

// Plans of faults that may strike `base`.
rc::Gen<std::vector<sim::FaultSetting>> fault_plans(const format::ScenarioFile& base,
                                                    bool within_claims = false);

struct Cluster {
  std::vector<sim::InstanceSetting> instances;
  sim::StoreSetting store;
  sim::NetworkSetting network;
  void put_into(sim::Scenario& scenario) const;
};
void showValue(const Cluster& cluster, std::ostream& stream);
rc::Gen<Cluster> clusters(const format::ScenarioFile& base, bool within_claims = false);

rc::Gen<Definition> definitions(const Window& window, const TimeZones& zones = only_utc());
// Up to `most` of them, each with a name.
rc::Gen<std::vector<sim::ScheduleSetting>> schedules(const format::ScenarioFile& base, std::size_t most,
                                                     const TimeZones& zones = only_utc());

// Gives up, as RapidCheck's suchThat does, when the protocol has no such settings.
rc::Gen<Parameters> election_parameters(const ElectorKind& protocol, Safety safety);

// Fails the property, with the story, when the run failed. An inconclusive run says nothing and is discarded, as by
// RC_PRE. If nearly all runs are discarded (ten for each that counts), RapidCheck gives up, and the property fails.
void must_hold(const Outcome& outcome);

}  // namespace tenure::testing
