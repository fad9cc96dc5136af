#include "tests/judge/invariants.h"

#include <algorithm>

namespace tenure::judging {
namespace {

constexpr Invariant kInvariants[] = {
    {"one-holder-per-epoch", one_holder_per_epoch},
    {"epochs-increase", epochs_increase},
    {"fenced-writes", fenced_writes},
    {"no-stale-act", no_stale_act},
    {"acts-within-belief", acts_within_belief},
    {"one-believer", one_believer},
    {"one-worker", one_worker},
    {"no-duplicate-fire", no_duplicate_fire},
    {"no-lost-fire", no_lost_fire},
    {"no-drift", no_drift},
    {"never-early", never_early},
    {"versions-take-turns", versions_take_turns},
    {"work-within-limit", work_within_limit},
    {"leader-elected", leader_elected},
    {"caught-up", caught_up},
    {"items-run-once", items_run_once},
    {"no-stale-assignment", no_stale_assignment},
    {"items-placed", items_placed},
    {"one-live-attempt", one_live_attempt},
    {"no-stale-completion", no_stale_completion},
    {"topics-apart", topics_apart},
    {"begun-in-order", begun_in_order},
    {"dead-or-delivered", dead_or_delivered},
    {"waits-as-asked", waits_as_asked},
    {"delivered", delivered},
    {"destinations-apart", destinations_apart},
    {"design-error", design_error},
};

}  // namespace

std::span<const Invariant> invariants() { return kInvariants; }

std::optional<Wrong> earliest(const std::vector<Wrong>& wrongs) {
  const auto first = std::min_element(wrongs.begin(), wrongs.end(),
                                      [](const Wrong& a, const Wrong& b) { return a.at < b.at; });
  return first == wrongs.end() ? std::nullopt : std::optional(*first);
}

}  // namespace tenure::judging
