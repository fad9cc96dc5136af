#include "lab/live/soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "lab/hunt/swarm.h"
#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

constexpr Duration kEditEvery = Duration::millis(700);  // at the mean

bool can_be_live(const sim::Scenario& scenario, const sim::FaultSetting& fault, const LiveMeans& means) {
  sim::Scenario alone = scenario;
  alone.faults = {fault};
  return what_cannot_be_live(alone, means).empty();
}

// Of intervals also the period: the file's, twice or three times that.
sim::ChangeSetting draw_edit(const sim::Scenario& scenario, sim::KeyedRng rng) {
  constexpr sim::ChangeAction kActions[] = {sim::ChangeAction::update, sim::ChangeAction::pause,
                                            sim::ChangeAction::resume, sim::ChangeAction::trigger};
  const auto place = rng.of("schedule").below(scenario.schedules.size());
  const sim::ScheduleSetting& schedule = scenario.schedules[place];
  sim::ChangeSetting edit;
  edit.at = Duration::nanos(
      static_cast<std::int64_t>(rng.of("at").below(static_cast<std::uint64_t>(scenario.duration.ns()))));
  edit.action = kActions[rng.of("action").below(std::size(kActions))];
  edit.schedule_name = schedule.name;
  edit.schedule = ScheduleId{static_cast<std::uint32_t>(place)};
  edit.definition = schedule.definition;
  if (auto* interval = std::get_if<Interval>(&edit.definition.recurrence))
    interval->period = interval->period * rng.of("period").between(1, 3);
  return edit;
}

std::uint64_t violations_of(const LiveVerdict& verdict, std::string_view checker) {
  const auto found = std::find_if(verdict.checks.begin(), verdict.checks.end(),
                                  [&](const sim::CheckResult& check) { return check.name == checker; });
  return found != verdict.checks.end() ? found->violation_count : 0;
}

}  // namespace

format::ScenarioFile draw_soak(const format::ScenarioFile& file, const LiveMeans& means, std::uint64_t seed) {
  format::ScenarioFile drawn = file;
  const format::ScenarioFile hunted = as_hunted(file);
  drawn.scenario = draw_case(hunted, seed).scenario;
  sim::Scenario& scenario = drawn.scenario;
  // Of the file's own a hunt leaves some out, so that others show: here all of them strike.
  std::erase_if(scenario.faults, [](const sim::FaultSetting& fault) { return fault.entry != 0; });
  for (sim::FaultSetting fault : sim::draw_plan(hunted.scenario, sim::KeyedRng(seed))) {
    fault.optional = true;
    scenario.faults.push_back(std::move(fault));
  }
  scenario.expect = file.scenario.expect;
  scenario.expect.sometimes.clear();
  std::erase_if(scenario.faults,
                [&](const sim::FaultSetting& fault) { return !can_be_live(scenario, fault, means); });
  if (scenario.schedules.empty()) return drawn;
  const sim::KeyedRng rng = sim::KeyedRng(seed).of("edits");
  const std::int64_t count = scenario.duration.ns() / kEditEvery.ns();
  std::uint64_t last = 0;
  for (const sim::ChangeSetting& change : scenario.changes) last = std::max(last, change.id);
  for (std::int64_t i = 0; i < count; ++i) {
    sim::ChangeSetting edit = draw_edit(scenario, rng.of(static_cast<std::uint64_t>(i)));
    edit.id = ++last;
    scenario.changes.push_back(std::move(edit));
  }
  std::ranges::stable_sort(scenario.changes, {}, &sim::ChangeSetting::at);
  return drawn;
}

void SoakTotals::add(const LiveVerdict& verdict, const LiveFacts& facts, const OutsideFacts& outside,
                     std::uint64_t fires_begun) {
  ++runs;
  not_passed += verdict.verdict == sim::Verdict::pass ? 0 : 1;
  restarts += static_cast<std::uint64_t>(
      std::ranges::count_if(outside.starts, [](const ProcessStart& start) { return !start.first; }));
  pauses += outside.pauses.size();
  faults += static_cast<std::uint64_t>(
      std::ranges::count_if(facts.faults, [](const sim::FaultRun& run) { return run.skipped.empty(); }));
  edits += facts.edits_applied;
  fires += fires_begun;
  lost += violations_of(verdict, "no-lost-fire");
  doubled += violations_of(verdict, "no-duplicate-fire");
  early += violations_of(verdict, "never-early");
}

std::string describe(const SoakTotals& totals) {
  return fmt::format(
      "{} runs, {} not passed; {} faults: {} restarts of processes that were killed or stopped, {} pauses; "
      "{} edits, {} "
      "fires: {} lost, {} doubled, {} early",
      totals.runs, totals.not_passed, totals.faults, totals.restarts, totals.pauses, totals.edits,
      totals.fires, totals.lost, totals.doubled, totals.early);
}

}  // namespace tenure::lab
