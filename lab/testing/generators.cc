#include "lab/testing/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/model/describe.h"
#include "format/parse/tail.h"
#include "format/print/print.h"
#include "lab/hunt/simplify_definition.h"
#include "lab/hunt/swarm.h"
#include "sim/faults/plan.h"

namespace tenure::testing {
namespace {

using format::ScenarioFile;
using lab::ScenarioPart;
using sim::KeyedRng;
using sim::Scenario;

// The base as it is drawn from: nothing is asked of every run that is only asked of some.
ScenarioFile as_drawn_from(const ScenarioFile& base, int size) {
  ScenarioFile hunted = lab::as_hunted(base);
  hunted.scenario.expect.sometimes.clear();
  if (!hunted.plans.hunt) return hunted;
  // RapidCheck begins small.
  sim::Range<std::int64_t>& faults = hunted.plans.hunt->faults;
  faults.high = faults.low + (faults.high - faults.low) * std::clamp(size, 0, 100) / 100;
  return hunted;
}

// Faults go first, then clocks and latencies, and at last the parameters.
void keep_within_claims(Scenario& scenario, const Scenario& base) {
  std::erase_if(scenario.faults, [&](const sim::FaultSetting& fault) {
    Scenario alone = scenario;
    alone.faults = {fault};
    return !lab::inside_claims(alone);
  });
  if (within_claims(scenario)) return;
  for (sim::InstanceSetting& instance : scenario.instances) instance.clock = base.instances.front().clock;
  scenario.store = base.store;
  scenario.network = base.network;
  if (!within_claims(scenario)) put_election(scenario, base.instances.front().election);
}

Scenario draw_scenario(const ScenarioFile& base, const Drawn& drawn, std::uint64_t seed, int size) {
  const KeyedRng rng = KeyedRng(seed).of("property");
  ScenarioFile file = as_drawn_from(base, size);
  Scenario& scenario = file.scenario;
  scenario.seed = seed;
  if (drawn.parameters) {
    const auto parameters = draw_parameters(*scenario.protocol, *drawn.parameters, rng.of("parameters"));
    if (!parameters) throw rc::GenerationFailure("the protocol seems to have no such parameters");
    put_election(scenario, *parameters);
  }
  if (drawn.cluster) {
    draw_surroundings(file, rng.of("cluster"));
    if (auto& hunt = file.plans.hunt)  // it has been kept to
      hunt->instances = {}, hunt->store_latency = {}, hunt->network_latency = {};
  }
  if (drawn.schedules > 0) draw_schedules(scenario, drawn.schedules, drawn.zones, rng.of("schedules"));
  if (drawn.faults)
    scenario = lab::draw_case(file, seed).scenario;
  else
    scenario.faults = sim::draw_plan(scenario, KeyedRng(seed));
  if (drawn.within_claims) keep_within_claims(scenario, base.scenario);
  for (sim::FaultSetting& fault : scenario.faults) fault.optional = true;  // a drawn one may find nobody
  scenario.tail = std::max(scenario.tail, format::needed_tail(scenario));
  // What no file can say would not shrink.
  return scenario_from(format::print_scenario(scenario), scenario.protocol, drawn.zones).scenario;
}

std::set<ScenarioPart> parts_of(const Drawn& drawn) {
  std::set<ScenarioPart> parts = {ScenarioPart::length};
  if (drawn.faults) parts.insert(ScenarioPart::faults);
  if (drawn.cluster) parts.insert(ScenarioPart::cluster);
  if (drawn.schedules > 0) parts.insert(ScenarioPart::schedules);
  return parts;
}

template <class Value>
rc::Seq<Value> in_turn(std::vector<Value> values) {
  return rc::seq::fromContainer(std::move(values));
}

// One step simpler, as a file says it; what is no scenario, or beyond the claims, is left out.
rc::Seq<Scenario> simpler_scenarios(const Scenario& scenario, const Drawn& drawn) {
  std::vector<Scenario> candidates = lab::simpler(scenario, parts_of(drawn));
  if (drawn.parameters)
    for (const Parameters& plainer : plainer_parameters(scenario.instances.front().election)) {
      if (safety_of(*scenario.protocol, plainer) != drawn.parameters) continue;
      candidates.push_back(scenario);
      put_election(candidates.back(), plainer);
    }
  return rc::seq::mapMaybe(in_turn(std::move(candidates)),
                           [drawn](const Scenario& candidate) -> rc::Maybe<Scenario> {
                             std::optional<Scenario> read = lab::as_its_file_says(candidate, drawn.zones);
                             if (!read || (drawn.within_claims && !within_claims(*read))) return rc::Nothing;
                             return *std::move(read);
                           });
}

// 32 bits are enough, and easier to read.
std::uint64_t seed_of(rc::Random random) { return random.next() >> 32U; }

// Of one draw from noise, shrunk by a list of simpler ones.
template <class Value, class Draw, class Simpler>
rc::Gen<Value> drawn_by(Draw draw, Simpler simpler) {
  return [draw = std::move(draw), simpler = std::move(simpler)](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(Value(draw(KeyedRng(seed_of(random)))), simpler);
  };
}

}  // namespace

rc::Gen<Scenario> scenarios(const ScenarioFile& base, const Drawn& drawn) {
  return [base, drawn](const rc::Random& random, int size) {
    return rc::shrinkable::shrinkRecur(
        draw_scenario(base, drawn, seed_of(random), size),
        [drawn](const Scenario& scenario) { return simpler_scenarios(scenario, drawn); });
  };
}

rc::Gen<std::vector<sim::FaultSetting>> fault_plans(const ScenarioFile& base, bool within_claims) {
  return rc::gen::map(scenarios(base, {.within_claims = within_claims}),
                      [](Scenario scenario) { return std::move(scenario.faults); });
}

void Cluster::put_into(Scenario& scenario) const {
  scenario.instances = instances;
  scenario.store = store;
  scenario.network = network;
  scenario.tail = std::max(scenario.tail, format::needed_tail(scenario));
}

void showValue(const Cluster& cluster, std::ostream& stream) {
  stream << fmt::format("{} instances; an answer of the store takes up to {}, a message up to {}\n",
                        cluster.instances.size(), describe(cluster.store.latency.max()),
                        describe(cluster.network.latency.max()));
  const auto show = [&](std::string_view who, const sim::ClockSetting& clock) {
    stream << fmt::format("  {}: clock off by {}, {} ppm fast\n", who, describe(clock.offset.low),
                          clock.rate_ppm.low);
  };
  for (std::size_t i = 0; i < cluster.instances.size(); ++i)
    show(describe(NodeId{static_cast<std::uint32_t>(i)}), cluster.instances[i].clock);
  show("store", cluster.store.clock);
}

rc::Gen<Cluster> clusters(const ScenarioFile& base, bool within_claims) {
  ScenarioFile calm = base;
  calm.scenario.faults.clear();
  const Drawn drawn{.faults = false, .cluster = true, .within_claims = within_claims};
  return rc::gen::map(scenarios(calm, drawn), [](Scenario scenario) {
    return Cluster{std::move(scenario.instances), std::move(scenario.store), std::move(scenario.network)};
  });
}

rc::Gen<Definition> definitions(const Window& window, const TimeZones& zones) {
  return drawn_by<Definition>([window, &zones](KeyedRng rng) { return draw_definition(window, zones, rng); },
                              [](const Definition& definition) {
                                std::vector<Definition> plainer = lab::simplify_definition(definition);
                                std::erase_if(plainer, [](const Definition& each) {
                                  return !slot_at_or_after(each, StoreTime::min());
                                });
                                return in_turn(std::move(plainer));
                              });
}

rc::Gen<std::vector<sim::ScheduleSetting>> schedules(const ScenarioFile& base, std::size_t most,
                                                     const TimeZones& zones) {
  ScenarioFile bare = base;
  bare.scenario.schedules.clear();
  bare.scenario.changes.clear();
  bare.scenario.faults.clear();
  return rc::gen::map(scenarios(bare, {.faults = false, .schedules = most, .zones = zones}),
                      [](Scenario scenario) { return std::move(scenario.schedules); });
}

rc::Gen<Parameters> election_parameters(const ElectorKind& protocol, Safety safety) {
  return drawn_by<Parameters>(
      [&protocol, safety](KeyedRng rng) {
        auto parameters = draw_parameters(protocol, safety, rng);
        if (!parameters) throw rc::GenerationFailure("the protocol seems to have no such parameters");
        return *std::move(parameters);
      },
      [&protocol, safety](const Parameters& parameters) {
        std::vector<Parameters> plainer = plainer_parameters(parameters);
        std::erase_if(plainer, [&](const Parameters& each) { return safety_of(protocol, each) != safety; });
        return in_turn(std::move(plainer));
      });
}

void must_hold(const Outcome& outcome) {
  if (outcome.failure) RC_FAIL(outcome.text());
  if (!outcome.ok()) RC_DISCARD(outcome.text());
}

}  // namespace tenure::testing
