#include "tests/judge/invariants.h"

#include <algorithm>

namespace tenure::judging {
namespace {

constexpr Invariant kInvariants[] = {
    {"one-holder-per-epoch", one_holder_per_epoch},
    {"epochs-increase", epochs_increase},
    {"fenced-writes", fenced_writes},
    {"no-stale-act", no_stale_act, true},
    {"acts-within-belief", acts_within_belief},
    {"one-believer", one_believer},
    {"one-worker", one_worker},
    {"no-duplicate-fire", no_duplicate_fire},
    {"no-lost-fire", no_lost_fire, true},
    {"no-drift", no_drift},
    {"never-early", never_early},
    {"versions-take-turns", versions_take_turns},
    {"work-within-limit", work_within_limit},
    {"items-run-once", items_run_once},
    {"no-stale-assignment", no_stale_assignment},
    {"one-live-attempt", one_live_attempt},
    {"no-stale-completion", no_stale_completion, true},
    {"topic-isolation", topic_isolation},
    {"begun-in-order", begun_in_order},
    {"dead-or-delivered", dead_or_delivered, true},
    {"delivered", delivered, true},
    {"leader-elected", leader_elected},
};

}  // namespace

std::span<const Invariant> invariants() { return kInvariants; }

const Invariant* find_invariant(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kInvariants), std::end(kInvariants),
                                         [&](const Invariant& each) { return each.name == name; });
  return found != std::end(kInvariants) ? found : nullptr;
}

std::optional<Wrong> earliest(const std::vector<Wrong>& wrongs) {
  const auto first = std::min_element(wrongs.begin(), wrongs.end(),
                                      [](const Wrong& a, const Wrong& b) { return a.at < b.at; });
  return first == wrongs.end() ? std::nullopt : std::optional(*first);
}

bool agree(const Invariant& invariant, const std::optional<Wrong>& judged,
           std::optional<sim::TrueTime> found) {
  if (!judged) return invariant.is_part || !found;
  return found && (invariant.is_part ? *found <= judged->at : *found == judged->at);
}

}  // namespace tenure::judging
