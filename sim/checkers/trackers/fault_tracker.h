// Tracks which faults are at work, and which of them ended a leadership.
//
// A leader loses its leadership because renewals have failed since the last one. So the fault to blame was at work at
// some time between that renewal and the loss, however long ago that is and however long the fault has been over. If
// there are several, it is the strongest (Manner), then the one at work longest in that time, then the latest.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/world/record.h"

namespace tenure::sim {

class FaultTracker {
 public:
  struct Fault {
    std::uint64_t id = 0;
    Harm harm = {FaultCause::other, Manner::hinders};
    std::vector<NodeId> nodes;  // whom it strikes; none: stores, or everything
    TrueTime began;
    TrueTime ended = TrueTime::max();    // max(): it goes on
    std::vector<NodeId> restarted = {};  // for a deploy: whose turn it has been
    bool in_turn = false;                // for a deploy: its targets are restarted one after the other
    bool cuts() const { return harm.manner == Manner::cuts; }
  };
  // A leadership that a running node lost.
  struct Loss {
    NodeId node;
    TrueTime renewed;  // the last time that it was granted, or began
    TrueTime at;
    bool stepped_down = false;
    bool has_store = true;
  };

  void see(TrueTime now, const Record& record);
  // Forgets faults that were over before this time; no later question is about them.
  void forget(TrueTime before);

  // The fault to blame; nullptr: none.
  const Fault* behind(const Loss& loss) const;
  // The id of the latest fault with this cause on `node` that is at work at `now` or began then; 0: none.
  std::uint64_t at_work(FaultCause trouble, NodeId node, TrueTime now) const;
  // Whether a fault that kills began at exactly this moment.
  bool kills_at(TrueTime now) const;

 private:
  std::vector<Fault> faults_;  // in the order in which they began
};

}  // namespace tenure::sim
