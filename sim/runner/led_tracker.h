// Who believed to lead, and when: to say who can have had a part in a violation.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "sim/checkers/trackers/belief_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LedTracker final : public Observer {
 public:
  explicit LedTracker(const View& view) : beliefs_(view) {}

  std::uint32_t wants() const override { return BeliefTracker::kReads; }
  void see(TrueTime now, const Record& record) override;
  // The run is over.
  void finish(TrueTime now);

  // Did the node believe, at any time of [from, to]?
  bool believed(NodeId node, TrueTime from, TrueTime to) const;
  // Was there, at each time of [from, to], a believer beside these?
  bool others_led_throughout(const std::vector<NodeId>& nodes, TrueTime from, TrueTime to) const;

 private:
  struct Span {
    NodeId node;
    TrueTime from;
    TrueTime to = TrueTime::max();  // max(): it goes on
  };
  // Of one node: those that are no further apart count as one, so that memory grows with handovers only.
  static constexpr Duration kApart = Duration::millis(1);

  void follow();

  BeliefTracker beliefs_;
  std::vector<Span> spans_;  // by `from`
};

}  // namespace tenure::sim
