#include <algorithm>

#include "sim/checkers/checker.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/routed_schedules.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

using When = CheckerKind::When;

#define TENURE_KIND(checker, name, summary, when, damage) \
  {name, summary, When::when, Damage::damage, checker::not_applicable, checker::make},
constexpr CheckerKind kKinds[] = {TENURE_CHECKERS(TENURE_KIND)};
#undef TENURE_KIND

// Calls see(setting) for each schedule that is there, or created.
template <class See>
void for_each_new_schedule(const Scenario& scenario, See&& see) {
  for (const ScheduleSetting& schedule : scenario.schedules) see(schedule);
  for (const ChangeSetting& change : scenario.changes)
    if (change.action == ChangeAction::create) see(change);
}

}  // namespace

std::span<const CheckerKind> checker_kinds() { return kKinds; }

const CheckerKind* find_checker_kind(std::string_view name) {
  const auto* const it = std::find_if(std::begin(kKinds), std::end(kKinds),
                                      [name](const CheckerKind& kind) { return kind.name == name; });
  return it != std::end(kKinds) ? it : nullptr;
}

const char* lacks_tokens(const Scenario& scenario) {
  return scenario.protocol->has_tokens ? nullptr : "the protocol has no tokens";
}

const char* lacks_fires(const Scenario& scenario) {
  if (scenario.scheduler == nullptr) return "the scenario has no scheduler";
  bool any = false;
  for_each_new_schedule(scenario, [&any](const auto&) { any = true; });
  return any ? nullptr : "the scenario has no schedules";
}

const char* places_nothing(const Scenario& scenario) {
  const bool places = scenario.scheduler != nullptr && scenario.scheduler->places_items;
  return places ? nullptr : "the scenario has no scheduler that places items";
}

bool leaders_write(const Scenario& scenario) {
  return scenario.protocol->writes || (scenario.scheduler != nullptr && scenario.scheduler->writes);
}

const char* lacks_destinations(const Scenario& scenario) {
  return pushes_events(scenario) && scenario.scheduling.find("destination_age") >= 0
             ? nullptr
             : "no schedule names a destination";
}

const char* lacks_workers(const Scenario& scenario) {
  return scenario.workers.empty() ? "the scenario has no workers" : nullptr;
}

const char* lacks_destinations_and_workers(const Scenario& scenario) {
  return lacks_workers(scenario) == nullptr ? nullptr : lacks_destinations(scenario);
}

const char* lacks_ledger(const Scenario& scenario) {
  if (const char* why = lacks_fires(scenario)) return why;
  return keeps_ledger(scenario) ? nullptr : "the scheduler keeps no ledger";
}

const char* lacks_own_work(const Scenario& scenario) {
  if (const char* why = lacks_fires(scenario)) return why;
  bool any = false;
  for_each_new_schedule(scenario, [&any](const auto& setting) {
    any = any || setting.definition.delivery.kind == Delivery::Kind::work;
  });
  return any ? nullptr : "no schedule's work is the leader's own";
}

bool keeps_ledger(const Scenario& scenario) {
  return scenario.scheduler != nullptr && scenario.scheduler->keeps_ledger;
}

std::uint32_t work_attempts_of(const Scenario& scenario) {
  return static_cast<std::uint32_t>(scheduling_number(scenario, "work_attempts", 0));
}

Duration clock_hold_of(const Scenario& scenario) { return scheduling_duration(scenario, "clock_hold"); }

}  // namespace tenure::sim
