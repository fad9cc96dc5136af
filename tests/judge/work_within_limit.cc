// No incarnation has more work running at once than the scheduler's `max_running`.
#include "core/model/describe.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> work_within_limit(const Case& run) {
  if (run.scenario.scheduling.find("max_running") < 0) return {};
  const std::int64_t limit = run.scenario.scheduling.number("max_running");
  std::vector<Wrong> wrongs;
  std::map<Incarnation, std::int64_t> running;
  for (const Kept& kept : run.history.facts) {
    if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      if (landed->landing == sim::DeliveryOutcome::begun && ++running[landed->who] > limit)
        wrongs.push_back({kept.at, describe(landed->who) + " has more running than it may"});
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      --running[ended->who];
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
