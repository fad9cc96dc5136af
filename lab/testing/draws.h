// Draws for properties, besides faults (lab/hunt/swarm.h): parameters, clocks and latencies, schedules.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/elector_kind.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/scenario/scenario.h"

namespace tenure::testing {

// ---- parameters ----

enum class Safety : std::uint8_t {
  safe,    // the protocol accepts them
  unsafe,  // well-formed, and the protocol warns of them: `accept` takes them on purpose
};
// nullopt when they are ill-formed.
std::optional<Safety> safety_of(const ElectorKind& protocol, const Parameters& parameters);
// The defaults, some of them changed; nullopt when the protocol seems to have no such settings.
std::optional<Parameters> draw_parameters(const ElectorKind& protocol, Safety safety, sim::KeyedRng rng);
// The same with one parameter back at its default, or rounder.
std::vector<Parameters> plainer_parameters(const Parameters& parameters);
// Every instance runs with these. Makes the tail long enough, and accepts what is unsafe.
void put_election(sim::Scenario& scenario, const Parameters& parameters);

// ---- clusters ----

// Draws another number of instances, other clocks, other latencies, within the ranges of [hunt], if there are any.
void draw_surroundings(format::ScenarioFile& file, sim::KeyedRng rng);
// Whether clocks, latencies and faults keep to the assumptions of the claims.
bool within_claims(const sim::Scenario& scenario);

// ---- schedules ----

// When a definition must have slots, and what it may use.
struct Window {
  StoreTime start;
  Duration length;
  bool policies = true;  // jitter, overlap, catch-up: for schedulers that keep a ledger
};
Window window_of(const sim::Scenario& scenario);
// An interval, a list of instants or a cron rule, with or without bounds, jitter and policies; it has a slot.
Definition draw_definition(const Window& window, const TimeZones& zones, sim::KeyedRng rng);
// Up to `most` schedules, besides those that the scenario has. REQUIRES: it has a scheduler.
void draw_schedules(sim::Scenario& scenario, std::size_t most, const TimeZones& zones, sim::KeyedRng rng);

}  // namespace tenure::testing
