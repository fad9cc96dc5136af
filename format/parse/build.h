// The steps from sections to a Scenario and its Plans. They find the errors that take two values together.
//
// Internal to this room; parse.cc runs the steps in the order of their declaration.
//
// Thread rule: one Build belongs to one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "format/schema/section.h"
#include "format/syntax/read_definition.h"
#include "sim/checkers/checker.h"
#include "sim/scenario/design_files.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

struct Build {
  Build(Section file_section, const TimeZones& time_zones, const ElectorKind* own,
        std::span<const StoreKind> store_engines, const sim::DataFiles* measurements, Diagnostics& errors)
      : file(std::move(file_section)),
        zones(time_zones),
        own_protocol(own),
        engines(store_engines),
        data_files(measurements),
        diagnostics(errors) {}

  Section file;
  const sim::DesignFiles* designs = nullptr;  // that a file may name; null: none
  bool takes_unsafe = false;  // unsafe settings are taken without acceptance, and are then accepted
  const TimeZones& zones;
  const ElectorKind* own_protocol;     // a protocol besides those of the registry; may be null
  std::span<const StoreKind> engines;  // engines that may replace the reference machine
  const sim::DataFiles* data_files;    // null: files may not name any
  Diagnostics& diagnostics;
  sim::Scenario scenario;
  Plans plans;

  bool start_known = false;       // [sim] start is good
  bool duration_known = false;    // [sim] duration and tail are good
  bool cluster_known = false;     // protocol, scheduler and the number of instances are good
  bool design_unread = false;     // the protocol's file has errors, so nobody knows its parameters
  bool scheduler_unread = false;  // likewise the scheduler's
  bool schedules_known = false;
  bool faults_known = true;          // every fault has good parameters
  std::vector<bool> good_schedules;  // whether the definition of each is good

  // Parameters, and the place of each, for errors.
  struct ParameterSource {
    Parameters parameters;
    std::map<std::string, Place, std::less<>> places;
    Place otherwise;
    bool good = true;
  };
  std::optional<ParameterSource> election;    // [election]; nullopt when the protocol is not known
  std::optional<ParameterSource> scheduling;  // [scheduling]; nullopt when there is no known scheduler

  // Unsafe settings of one part and the names that accept them, collected until all are known.
  struct Unsafe {
    Place place;
    std::string accept;
    std::string text;
    bool warning = false;
  };
  struct UnsafePart {
    std::vector<Unsafe> settings;
    std::vector<Word> accepted;
  };
  UnsafePart unsafe_election;
  UnsafePart unsafe_scheduling;
  bool parameters_known = true;  // all parameters of the protocol and the scheduler were good

  Place protocol_place;
  Place scheduler_place;
  Place tail_place;
  std::optional<Duration> needs_tail;  // the tail is too short, and this one would do

  // The section of a `table` key of the file.
  Section section(std::string_view key, std::span<const KeySpec> more = {}) const {
    return read_section(file.item(key), *file.spec(key).section, more, diagnostics);
  }
  // The tables of a `tables` key.
  const std::vector<Item>& tables(std::string_view key) const {
    static const std::vector<Item> kNone;
    return file.item(key) == nullptr ? kNone : file.item(key)->items;
  }
};

// build_data.cc A distribution, from a table or a file. `which` goes before the key in the note: "2 " for the second of
// its kind.
sim::Quantiles quantiles_of(const Section& section, std::string_view key, Build& build,
                            std::string_view which = {});

// build_protocol.cc
void build_protocol(const Section& cluster, Build& build);

// build_cluster.cc
void build_sim(Build& build);
void build_cluster(Build& build);
void build_instances(Build& build);
void build_surroundings(Build& build);  // store, network, work
// Lays the parameters of `item` over those of `base`, and validates the outcome.
Build::ParameterSource election_over(const Build::ParameterSource& base, const Item* item,
                                     const SectionSpec& spec, Build& build);
std::optional<NodeId> find_instance(const Word& word, Build& build);

// build_workers.cc
// After the schedules: workers claim events of those.
void build_workers(Build& build);
// Reports a name of `worker` in the section that neither a [[worker]] nor one of its processes has.
void find_worker(const Section& section, std::string_view name, Build& build);

// build_destinations.cc
void build_destinations(Build& build);
// Reports a name of `destination` in the section that no [[destination]] has.
bool find_destination(const Section& section, std::string_view name, Build& build);

// build_definition.cc
// The definition of a section, over an earlier one. `before` is null for a new definition, which needs a recurrence.
// `times` is the key of the section's list of instants.
LaidOver read_definition(const Section& section, std::string_view times, const LaidOver* before,
                         Build& build);

// build_schedules.cc
void build_schedules(Build& build);
void build_changes(Build& build);

// build_faults.cc
void build_faults(Build& build);

// build_expect.cc
void build_expect(Build& build);
void build_thresholds(Build& build);
// All checkers, for hints.
std::vector<std::string_view> checker_names(std::optional<sim::CheckerKind::When> when = std::nullopt);

// build_hunt.cc
void build_hunt(Build& build);
void build_exhaustive(Build& build);
void build_regression(Build& build);

// build_demands.cc
void build_objectives(const Section& tune, TuneSetting& setting, Build& build);
void build_constraints(const Section& tune, TuneSetting& setting, Build& build);
// nullptr, and an error, when the checker does not exist or does not apply here.
const sim::CheckerKind* usable_checker(const Word& word, Build& build);
FilePlace place_of(const Place& place);

// build_tune.cc
void build_tune(Build& build);
void build_profile(Build& build);
// build_compare.cc
void build_compare(Build& build);

// unsafe.cc Reports unsafe settings that are not accepted, and `accept` entries without effect.
void judge_unsafe(Build& build);

// slots.cc: reports a run with too many slots.
void judge_slots(Build& build);

// tail.cc
void judge_tail(Build& build);

}  // namespace tenure::format
