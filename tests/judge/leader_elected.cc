// After the heal, somebody leads: when the run is over, a node that stands believes to. Where leadership goes round it
// is nobody's for a moment. So a gap is let be of a second, if the leadership before it was no shorter than that gap.
#include <algorithm>
#include <optional>

#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> leader_elected(const Case& run) {
  constexpr Duration kHandover = Duration::seconds(1);
  std::optional<Leadership> last;
  for (const Leadership& led : leaderships(run.history)) {
    if (led.to > run.history.end) return {};
    if (!last || led.to >= last->to) last = led;
  }
  if (last && run.history.end - last->to <= std::min(kHandover, last->to - last->from)) return {};
  return {{run.history.end, "nobody leads"}};
}

}  // namespace tenure::judging
