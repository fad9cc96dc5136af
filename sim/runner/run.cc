#include "sim/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/metrics/metrics.h"
#include "sim/checkers/metrics/sometimes.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/faults/engine.h"
#include "sim/faults/plan.h"
#include "sim/faults/recovery.h"
#include "sim/runner/assumption_monitor.h"
#include "sim/runner/claims.h"
#include "sim/runner/clients.h"
#include "sim/runner/judge.h"
#include "sim/runner/led_tracker.h"
#include "sim/runner/recorder.h"
#include "sim/runner/story.h"
#include "sim/runner/thresholds.h"
#include "sim/runner/worst_samples.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

struct Watcher {
  const CheckerKind* kind;
  std::unique_ptr<Checker> checker;
};

std::vector<Watcher> watchers_for(const CheckerSetup& setup) {
  std::vector<Watcher> watchers;
  for (const CheckerKind& kind : checker_kinds())
    if (kind.not_applicable(setup.scenario) == nullptr) watchers.push_back({&kind, kind.make(setup)});
  return watchers;
}

// Of the zones that the schedules are in.
std::string tzdb_version_of(const Scenario& scenario) {
  const auto version_in = [](const Definition& definition) {
    const auto* rule = std::get_if<CronRule>(&definition.recurrence);
    return rule == nullptr ? std::string{} : rule->zone->tzdb_version();
  };
  for (const ScheduleSetting& schedule : scenario.schedules)
    if (std::string version = version_in(schedule.definition); !version.empty()) return version;
  for (const ChangeSetting& change : scenario.changes)
    if (std::string version = version_in(change.definition); !version.empty()) return version;
  return {};
}

// The fault phase, the heal, and the tail.
void run_phases(World& world, FaultEngine& engine) {
  Clients clients(world);
  world.begin();
  engine.begin();
  clients.begin();
  const TrueTime heal = TrueTime{} + world.scenario().duration;
  world.run_to(heal);
  engine.heal();
  world.run_to(heal + world.scenario().tail);
}

// The one that decided, which the result has first.
const Violation& told(const Checker& checker, const CheckResult& check) {
  const Violations& all = checker.violations();
  const ReportedViolation& first = check.violations.front();
  const auto found = std::find_if(all.begin(), all.end(), [&first](const Violation& violation) {
    return violation.at == first.at && violation.message == first.message;
  });
  return found != all.end() ? *found : *all.begin();
}

// The first violation that made the run fail, or that the canary was to find. Of the checker that is asked for, if it
// is among them, whatever else fails.
const Violation* failure_to_tell(const std::vector<Watcher>& watchers, const std::vector<CheckResult>& checks,
                                 std::string_view asked_for, const CheckerKind*& kind) {
  const Violation* first = nullptr;
  for (std::size_t i = 0; i < watchers.size(); ++i) {
    if (checks[i].verdict != Verdict::fail || !checks[i].demanded) continue;
    const Violation& violation = told(*watchers[i].checker, checks[i]);
    const bool asked = watchers[i].kind->name == asked_for;
    if (!asked && first != nullptr && first->at <= violation.at) continue;
    first = &violation;
    kind = watchers[i].kind;
    if (asked) break;
  }
  return first;
}

// `checks` are the watchers', in their order.
Recording record_of(Recorder& recorder, const std::vector<Watcher>& watchers,
                    const std::vector<CheckResult>& checks, TrueTime end) {
  recorder.finish(end);
  for (std::size_t i = 0; i < watchers.size(); ++i)
    recorder.add_violations(checks[i].name, watchers[i].checker->violations(), checks[i].demanded);
  return recorder.take();
}

Story story_of(const Scenario& scenario, std::uint64_t seed, const std::vector<FaultSetting>& plan,
               const Violation& violation, std::string_view checker) {
  World world(scenario, seed);
  FaultEngine engine(world, plan);
  StoryTeller teller(scenario, violation);
  world.add_observer(engine);
  world.add_observer(teller);
  run_phases(world, engine);
  return teller.tell(std::string(checker));
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    case Verdict::inconclusive: return "inconclusive";
  }
  return "";
}

RunResult run(const Scenario& scenario, std::uint64_t seed, const RunOptions& options) {
  World world(scenario, seed);
  const std::vector<FaultSetting> plan = draw_plan(scenario, world.rng());
  FaultEngine engine(world, plan);
  RunHistory history(scenario, world);
  CheckerSetup setup{scenario, world, &history};
  setup.recovery = recovery(scenario);
  const std::vector<Watcher> watchers = watchers_for(setup);
  MetricsCollector metrics(setup);
  SometimesCounter sometimes(setup);
  LedTracker led(history.beliefs());
  AssumptionMonitor assumptions(world);

  world.add_observer(engine);
  world.add_observer(history);
  for (const Watcher& watcher : watchers) world.add_observer(*watcher.checker);
  if (scenario.scheduler != nullptr) world.add_observer(history.after());
  world.add_observer(metrics);
  world.add_observer(sometimes);
  world.add_observer(led);
  world.add_observer(assumptions);
  std::optional<Recorder> recorder;
  if (options.recording != nullptr || options.listener != nullptr)
    world.add_observer(recorder.emplace(world, options.listener));
  if (options.trace != nullptr) world.add_observer(*options.trace);
  run_phases(world, engine);
  history.finish(world.now());
  for (const Watcher& watcher : watchers) watcher.checker->finish(world.now());
  metrics.finish(world.now());
  led.finish();
  assumptions.finish(world.now());

  RunResult result;
  result.scenario = scenario.name;
  result.path = scenario.path;
  result.seed = seed;
  result.trace_hash = world.trace_hash();
  result.events = world.events();
  result.tzdb = tzdb_version_of(scenario);
  result.data = scenario.data;
  result.simulated = world.now() - TrueTime{};
  result.metrics = metrics.metrics();
  for (std::uint32_t i = 0; i < world.node_count(); ++i)
    result.wall_clock_read = result.wall_clock_read || world.process(NodeId{i}).has_read_wall_clock();
  result.strips = metrics.strips();
  result.faults = engine.runs();
  result.reproduce = fmt::format("tenure run {} --seed {}", scenario.path, seed);

  std::vector<FaultSetting> as_run = plan;
  as_run.insert(as_run.end(), engine.drawn().begin(), engine.drawn().end());
  const std::vector<Broken> broken = broken_assumptions(scenario, as_run, result.faults, &assumptions);
  for (const Watcher& watcher : watchers)
    result.checks.push_back(judge(*watcher.kind, *watcher.checker, scenario, broken, &led, result.metrics));
  if (recorder) {
    Recording recording = record_of(*recorder, watchers, result.checks, world.now());
    for (const Broken& each : broken)
      recording.broken.push_back(
          {std::string(name_of(each.assumption)), each.by, each.nodes, {each.since, each.until}});
    if (options.recording != nullptr) *options.recording = std::move(recording);
  }
  const CheckerKind* kind = nullptr;
  const Violation* violation = failure_to_tell(watchers, result.checks, options.tell, kind);
  for (const std::string& name : scenario.expect.sometimes)
    result.checks.push_back(judge_sometimes(name, sometimes.count(name, result.metrics)));
  if (options.story || !scenario.thresholds.empty())
    result.worst = worst_samples(result.metrics, scenario, result.faults);
  for (const Threshold& threshold : scenario.thresholds) {
    result.checks.push_back(judge(threshold, result.metrics, result.simulated));
    CheckResult& check = result.checks.back();
    const WorstSample* worst = worst_of(threshold, result.worst);
    if (check.verdict == Verdict::fail && worst != nullptr) check.violations = {{worst->at, worst->text}};
  }
  FaultTally struck;
  struck.add(result.faults);
  for (CheckResult& idle : struck.judge(scenario)) result.checks.push_back(std::move(idle));
  result.verdict = verdict_of(result.checks, scenario.expect);
  if (options.story && violation != nullptr)
    result.story = story_of(scenario, seed, plan, *violation, kind->name);
  return result;
}

}  // namespace tenure::sim
