// Tracks who believed that it leads, and when, to decide which nodes could have contributed to a violation.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "sim/checkers/trackers/belief_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LedTracker final : public Observer {
 public:
  // `beliefs`: sees each record before.
  explicit LedTracker(const BeliefTracker& beliefs) : beliefs_(beliefs) {}

  std::uint32_t wants() const override { return BeliefTracker::kReads; }
  void see(TrueTime, const Record&) override { follow(); }
  // The run is over.
  void finish() { follow(); }

  // Whether the node believed at any time in [from, to].
  bool believed(NodeId node, TrueTime from, TrueTime to) const;
  // Whether there was another believer than these at each time in [from, to].
  bool others_led_throughout(const std::vector<NodeId>& nodes, TrueTime from, TrueTime to) const;

 private:
  struct Span {
    NodeId node;
    TrueTime from;
    TrueTime to = TrueTime::max();  // max(): it goes on
  };
  // Spans of one node that are no further apart are merged, so that memory grows only with handovers.
  static constexpr Duration kApart = Duration::millis(1);

  void follow();

  const BeliefTracker& beliefs_;
  std::uint64_t read_ = 0;   // of their changes
  std::vector<Span> spans_;  // by `from`
};

}  // namespace tenure::sim
