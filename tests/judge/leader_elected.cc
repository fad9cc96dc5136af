// After the heal, somebody leads: when the run is over, a node that stands believes to. In the tail somebody has led
// for a second in all, or for half of a shorter tail. Where leadership goes round it is nobody's for a moment. So a gap
// is let be of a second, if the leadership before it was no shorter than that gap.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> leader_elected(const Case& run) {
  constexpr Duration kHandover = Duration::seconds(1);
  std::optional<Leadership> last;
  bool at_end = false;
  const sim::TrueTime heal = sim::TrueTime{} + run.scenario.duration;
  std::vector<std::pair<sim::TrueTime, sim::TrueTime>> spans;  // in the tail
  for (const Leadership& led : leaderships(run.history)) {
    at_end = at_end || led.to > run.history.end;
    spans.emplace_back(std::max(led.from, heal), std::min(led.to, run.history.end));
    if (!last || led.to >= last->to) last = led;
  }
  std::sort(spans.begin(), spans.end());
  Duration led;
  sim::TrueTime reached = heal;
  for (const auto& [from, to] : spans) {
    led += std::max(to - std::max(from, reached), Duration{});
    reached = std::max(reached, to);
  }
  if (led < std::min(Duration::seconds(1), (run.history.end - heal) / 2))
    return {{run.history.end, "hardly anybody led"}};
  if (at_end) return {};
  if (last && run.history.end - last->to <= std::min(kHandover, last->to - last->from)) return {};
  return {{run.history.end, "nobody leads"}};
}

}  // namespace tenure::judging
