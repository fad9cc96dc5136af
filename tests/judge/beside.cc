#include "tests/judge/beside.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/faults/engine.h"
#include "sim/faults/plan.h"
#include "sim/runner/clients.h"
#include "sim/world/world.h"

namespace tenure::judging {
namespace {

std::map<std::string, Tally> tallies;

std::string seconds(sim::TrueTime at) { return describe(at - sim::TrueTime{}); }

const Invariant* invariant_of(std::string_view name) {
  for (const Invariant& invariant : invariants())
    if (invariant.name == name) return &invariant;
  return nullptr;
}

}  // namespace

bool same_moment(sim::TrueTime a, sim::TrueTime b) {
  return std::max(a, b) - std::min(a, b) <= Duration::micros(10);
}

const std::map<std::string, Tally>& tally() { return tallies; }

std::vector<Watcher> watchers_for(const Run& run, const sim::RunHistory& history) {
  std::vector<Watcher> watchers;
  for (const sim::CheckerKind& kind : sim::checker_kinds())
    if (kind.not_applicable(run.scenario) == nullptr)
      watchers.push_back({&kind, kind.make({run.scenario, run.view, &history})});
  return watchers;
}

History simulate(const sim::Scenario& scenario, std::uint64_t seed,
                 const std::function<std::vector<sim::Observer*>(const Run&)>& watch,
                 const std::function<void(sim::TrueTime)>& finish) {
  sim::World world(scenario, seed);
  const std::vector<sim::FaultSetting> plan = sim::draw_plan(scenario, world.rng());
  sim::FaultEngine engine(world, plan);
  Recorder recorder(world);
  world.add_observer(engine);
  world.add_observer(recorder);
  if (watch)
    for (sim::Observer* observer : watch({scenario, world})) world.add_observer(*observer);
  sim::Clients clients(world);
  world.begin();
  engine.begin();
  clients.begin();
  const sim::TrueTime heal = sim::TrueTime{} + scenario.duration;
  world.run_to(heal);
  engine.heal();
  world.run_to(heal + scenario.tail);
  if (finish) finish(world.now());
  return recorder.take(world.now());
}

std::string difference(const Watcher& watcher, const Case& run) {
  const Invariant* invariant = invariant_of(watcher.kind->name);
  if (invariant == nullptr) return {};
  const std::optional<Wrong> wrong = earliest(invariant->judge(run));
  Tally& counted = tallies[std::string(invariant->name)];
  ++counted.judged;
  if (wrong) ++counted.broken;
  const auto& violations = watcher.checker->violations();
  if (violations.empty() && !wrong) return {};
  if (!violations.empty() && wrong && same_moment(violations.begin()->at, wrong->at)) return {};
  std::string text = fmt::format("{}: ", invariant->name);
  text +=
      wrong ? fmt::format("the judge at {}: {}", seconds(wrong->at), wrong->what) : "the judge finds nothing";
  text += violations.empty() ? "; the checker finds nothing\n"
                             : fmt::format("; the checker at {}: {}\n", seconds(violations.begin()->at),
                                           violations.begin()->message);
  return text;
}

std::string differences(const sim::Scenario& scenario, std::uint64_t seed, const sim::Scenario& judged_as) {
  std::optional<sim::RunHistory> known;
  std::vector<Watcher> watchers;
  const History history = simulate(
      scenario, seed,
      [&](const Run& run) {
        known.emplace(judged_as, run.view);
        watchers = watchers_for({judged_as, run.view}, *known);
        std::vector<sim::Observer*> observers{&*known};
        for (const Watcher& watcher : watchers) observers.push_back(watcher.checker.get());
        observers.push_back(&known->after());
        return observers;
      },
      [&](sim::TrueTime end) {
        known->finish(end);
        for (const Watcher& watcher : watchers) watcher.checker->finish(end);
      });
  std::string text;
  for (const Watcher& watcher : watchers) text += difference(watcher, {judged_as, history});
  return text;
}

}  // namespace tenure::judging
