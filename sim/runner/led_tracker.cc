#include "sim/runner/led_tracker.h"

#include <algorithm>

namespace tenure::sim {

void LedTracker::follow() {
  for (const BeliefChange& change : beliefs_.changes_since(read_)) {
    const NodeId node = change.belief.who.node;
    const auto last =
        std::find_if(spans_.rbegin(), spans_.rend(), [node](const Span& span) { return span.node == node; });
    if (change.what == BeliefChange::What::ended) {
      if (last != spans_.rend()) last->to = change.at;
    } else if (change.what == BeliefChange::What::began) {
      if (last != spans_.rend() && (last->to == TrueTime::max() || change.at - last->to <= kApart))
        last->to = TrueTime::max();
      else
        spans_.push_back({node, change.at});
    }
  }
}

bool LedTracker::believed(NodeId node, TrueTime from, TrueTime to) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
    return span.node == node && span.from <= to && span.to >= from;
  });
}

bool LedTracker::others_led_throughout(const std::vector<NodeId>& nodes, TrueTime from, TrueTime to) const {
  TrueTime reached = from;
  bool any = false;
  for (const Span& span : spans_) {
    if (std::find(nodes.begin(), nodes.end(), span.node) != nodes.end()) continue;
    if (span.from > reached) break;
    if (span.to < reached) continue;
    any = true;
    reached = span.to;
    if (reached >= to) return true;
  }
  return any && reached >= to;
}

}  // namespace tenure::sim
