#include "tests/judge/beside.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/faults/engine.h"
#include "sim/faults/plan.h"
#include "sim/faults/recovery.h"
#include "sim/runner/clients.h"
#include "sim/world/world.h"
#include "tests/judge/replay.h"

namespace tenure::judging {

History simulate(const sim::Scenario& scenario, std::uint64_t seed) {
  sim::World world(scenario, seed);
  const std::vector<sim::FaultSetting> plan = sim::draw_plan(scenario, world.rng());
  sim::FaultEngine engine(world, plan);
  Recorder recorder(world);
  world.add_observer(engine);
  world.add_observer(recorder);
  sim::Clients clients(world);
  world.begin();
  engine.begin();
  clients.begin();
  const sim::TrueTime heal = sim::TrueTime{} + scenario.duration;
  world.run_to(heal);
  engine.heal();
  world.run_to(heal + scenario.tail);
  return recorder.take(world.now());
}

std::map<std::string_view, std::optional<sim::Violation>> found_in(const Case& run, const Names& asked) {
  Replay replay(run.history);
  sim::RunHistory known(run.scenario, replay);
  std::map<std::string_view, std::unique_ptr<sim::Checker>> checkers;
  std::vector<sim::Observer*> observers{&known};
  for (const sim::CheckerKind& kind : sim::checker_kinds()) {
    const bool wanted = asked.empty() ? find_invariant(kind.name) != nullptr : asked.contains(kind.name);
    if (!wanted || kind.not_applicable(run.scenario) != nullptr) continue;
    sim::CheckerSetup setup{run.scenario, replay, &known};
    setup.recovery = sim::recovery(run.scenario);
    observers.push_back((checkers[kind.name] = kind.make(setup)).get());
  }
  observers.push_back(&known.after());
  replay.show_to(observers);
  known.finish(run.history.end);
  std::map<std::string_view, std::optional<sim::Violation>> found;
  for (const auto& [name, checker] : checkers) {
    checker->finish(run.history.end);
    const sim::Violations& all = checker->violations();
    found[name] = all.empty() ? std::nullopt : std::optional(*all.begin());
  }
  return found;
}

std::string differences(const Case& run, const Names& except) {
  const auto said = [](sim::TrueTime at, const std::string& what) {
    return fmt::format("at {}: {}", describe(at - sim::TrueTime{}), what);
  };
  std::string text;
  for (const auto& [name, found] : found_in(run)) {
    if (except.contains(name)) continue;
    const Invariant& invariant = *find_invariant(name);
    const std::optional<Wrong> judged = earliest(invariant.judge(run));
    if (agree(invariant, judged, found ? std::optional(found->at) : std::nullopt)) continue;
    text += fmt::format("{}: the judge {}; the checker {}\n", name,
                        judged ? said(judged->at, judged->what) : "finds nothing",
                        found ? said(found->at, found->message) : "finds nothing");
  }
  return text;
}

}  // namespace tenure::judging
