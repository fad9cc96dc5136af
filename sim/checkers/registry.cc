#include <algorithm>

#include "sim/checkers/checker.h"
#include "sim/checkers/kinds.h"

namespace tenure::sim {
namespace {

using When = CheckerKind::When;

constexpr CheckerKind kKinds[] = {
    {"one-holder-per-epoch", "a term of leadership has one holder, in grants, beliefs, writes and work",
     When::always, one_holder_per_epoch::not_applicable, one_holder_per_epoch::make},
    {"epochs-increase", "each new term has a greater token than every one before", When::always,
     epochs_increase::not_applicable, epochs_increase::make},
    {"fenced-writes", "no write of a deposed leader is accepted", When::always, fenced_writes::not_applicable,
     fenced_writes::make},
    {"acts-within-belief", "nobody acts as the leader outside its declared belief", When::always,
     acts_within_belief::not_applicable, acts_within_belief::make},
    {"one-believer", "no two incarnations believe at once that they lead", When::always,
     one_believer::not_applicable, one_believer::make},
    {"one-worker", "no two incarnations work at once", When::always, one_worker::not_applicable,
     one_worker::make},
    {"no-duplicate-fire", "no fire is executed, or recorded, twice", When::always,
     no_duplicate_fire::not_applicable, no_duplicate_fire::make},
    {"no-lost-fire", "every slot that came due is accounted for", When::always, no_lost_fire::not_applicable,
     no_lost_fire::make},
    {"no-drift", "every fire is at a slot of the definition in force", When::always, no_drift::not_applicable,
     no_drift::make},
    {"never-early", "nothing fires before its slot, by the store's clock", When::always,
     never_early::not_applicable, never_early::make},
    {"versions-take-turns", "no commit holds rows of two versions of one schedule", When::always,
     versions_take_turns::not_applicable, versions_take_turns::make},
    {"work-within-limit", "no instance has more work running than `max_running`", When::always,
     work_within_limit::not_applicable, work_within_limit::make},
    {"no-stuck-leader", "no leader stays while what is due does not get done", When::always,
     no_stuck_leader::not_applicable, no_stuck_leader::make},
    {"leader-elected", "after the heal, somebody leads", When::eventually, leader_elected::not_applicable,
     leader_elected::make},
    {"caught-up", "after the heal, what is due gets done", When::eventually, caught_up::not_applicable,
     caught_up::make},
};

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
  const auto creates = [](const ChangeSetting& change) { return change.action == ChangeAction::create; };
  const bool any =
      !scenario.schedules.empty() || std::any_of(scenario.changes.begin(), scenario.changes.end(), creates);
  return any ? nullptr : "the scenario has no schedules";
}

bool keeps_ledger(const Scenario& scenario) {
  return scenario.scheduler != nullptr && scenario.scheduler->keeps_ledger;
}

}  // namespace tenure::sim
