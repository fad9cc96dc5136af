// When nothing is in a scheduler's way: one and the same instance leads, no fault is in force, and nobody is at work.
// A fault that is over is in the way as long as the longest so far lingers: its end does not say how long it does.
//
// Thread rule: pure functions.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/judge/beliefs.h"

namespace tenure::judging {

struct Quiet {
  sim::TrueTime from;
  sim::TrueTime to;
};

inline std::vector<Quiet> quiet_times(const History& history) {
  struct Change {
    int leaders = 0;
    int in_the_way = 0;
  };
  std::map<sim::TrueTime, Change> changes;
  for (const Leadership& led : leaderships(history)) {
    ++changes[led.from].leaders;
    --changes[std::min(led.to, history.end)].leaders;
  }
  std::set<std::uint64_t> faults;
  Duration lingers;
  int at_work = 0;
  for (const Kept& kept : history.facts) {
    if (const auto* fault = std::get_if<KeptFault>(&kept.fact)) {
      int& in_the_way = changes[kept.at].in_the_way;
      if (fault->begins && fault->lasts && faults.insert(fault->id).second) ++in_the_way;
      if (!fault->begins && faults.erase(fault->id) > 0) --in_the_way;
      lingers = std::max(lingers, fault->lingers);
      ++in_the_way;
      --changes[std::min(kept.at + (fault->begins ? fault->lingers : lingers), history.end)].in_the_way;
    } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      if (landed->landing != sim::DeliveryOutcome::begun) continue;
      ++changes[kept.at].in_the_way;
      ++at_work;
    } else if (std::holds_alternative<KeptEnding>(kept.fact) && at_work > 0) {
      --changes[kept.at].in_the_way;
      --at_work;
    }
  }
  changes[history.end];
  std::vector<Quiet> quiet;
  Change now;
  sim::TrueTime since;
  for (const auto& [at, change] : changes) {
    if (now.leaders == 1 && now.in_the_way == 0) quiet.push_back({since, at});
    now.leaders += change.leaders;
    now.in_the_way += change.in_the_way;
    since = at;
  }
  return quiet;
}

// Is there a stretch of this length within [from, to)?
inline bool any_within(const std::vector<Quiet>& quiet, sim::TrueTime from, sim::TrueTime to,
                       Duration length) {
  return std::any_of(quiet.begin(), quiet.end(), [=](const Quiet& one) {
    return std::min(one.to, to) - std::max(one.from, from) >= length;
  });
}

}  // namespace tenure::judging
