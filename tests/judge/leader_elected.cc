// After the heal, somebody leads: some belief holds at some moment of the tail.
#include <algorithm>

#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> leader_elected(const Case& run) {
  const sim::TrueTime heal = sim::TrueTime{} + run.scenario.duration;
  for (const Belief& belief : beliefs(run.history))
    if (std::max(belief.begin, heal) < std::min(belief.end, run.history.end)) return {};
  return {{run.history.end, "nobody leads"}};
}

}  // namespace tenure::judging
