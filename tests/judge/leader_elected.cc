// After the heal, somebody leads: when the run is over, a node that stands believes to. Where leadership goes round it
// is nobody's for a moment, so a gap of a second is let be.
#include <algorithm>

#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> leader_elected(const Case& run) {
  constexpr Duration kHandover = Duration::seconds(1);
  for (const Belief& belief : beliefs(run.history))
    if (belief.begin < belief.end && belief.begin <= run.history.end &&
        std::min(belief.end, run.history.end) >= run.history.end - kHandover)
      return {};
  return {{run.history.end, "nobody leads"}};
}

}  // namespace tenure::judging
