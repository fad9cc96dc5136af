// What is drawn for a property besides faults (lab/hunt/swarm.h): parameters, clocks and latencies, schedules.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/electors/registry.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::testing {

// ---- parameters ----

enum class Safety : std::uint8_t {
  safe,    // the protocol has nothing to say against them
  unsafe,  // well-formed, and the protocol warns of them: `accept` takes them on purpose
};
// None when they are ill-formed.
std::optional<Safety> safety_of(const ElectorKind& protocol, const Parameters& parameters);
// Defaults with some of them changed; none when the protocol seems to have no such settings.
std::optional<Parameters> draw_parameters(const ElectorKind& protocol, Safety safety, sim::KeyedRng rng);
// With one of them back at its default, or rounder.
std::vector<Parameters> plainer_parameters(const Parameters& parameters);
// Every instance runs with these; the tail is made long enough, and what is unsafe is accepted.
void put_election(sim::Scenario& scenario, const Parameters& parameters);

// ---- clusters ----

// Another number of instances, other clocks, other latencies. Ranges of [hunt] are kept to, if there are any.
void draw_surroundings(sim::ScenarioFile& file, sim::KeyedRng rng);
// Whether clocks, latencies and faults leave alone what the claims rest on.
bool within_claims(const sim::Scenario& scenario);

// ---- schedules ----

// When a definition is to have slots, and what it may ask for.
struct Window {
  StoreTime start;
  Duration length;
  bool policies = true;  // jitter, overlap, catch-up: of schedulers that keep a ledger
};
Window window_of(const sim::Scenario& scenario);
// An interval, a list of instants or a cron rule, with or without bounds, jitter and policies; it has a slot.
Definition draw_definition(const Window& window, const TimeZones& zones, sim::KeyedRng rng);
// Up to `most` schedules, besides those that the scenario has. REQUIRES: it has a scheduler.
void draw_schedules(sim::Scenario& scenario, std::size_t most, const TimeZones& zones, sim::KeyedRng rng);

}  // namespace tenure::testing
