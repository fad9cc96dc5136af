// The events of several journals of one machine in one order: by the machine's clock, and by the store's.
//
// A journal has its node's acts at their times. Only answers tell what the store did:
//
//   1. An executed request is placed at the last moment at which it can have been executed: when its answer came, or
//      before the answer to a request that was executed later. So the order of execution is kept.
//   2. The order of execution is that of the store's clock. Grants and releases have their positions. If these
//      contradict the clock, or if the clock contradicts the machine's, the store's clock went back, and nothing else
//      has an order.
//   3. A request about the lease without an answer may have been executed or not, at any time since it was sent. It is
//      placed where it was sent.
//   4. Work begins when its node decides on it, and not when the effect leaves, which may be a pause later. It ends
//      when its node says so; otherwise with the last line of its life.
//
// If positions contradict the machine's clock (a later grant was answered before an earlier one was asked for), the
// journals come from different machines, boots or stores, and are refused.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "lab/audit/history.h"
#include "sim/world/record.h"

namespace tenure::lab {

// Pointers below are into the journals; only `done` may be null.

// Each line, at its own time. What an answer tells of the store, and the end of work, have moments of their own.
struct NodeWrote {
  const journal::Line* line;
};
struct StoreExecuted {
  const journal::Asked* asked;
  const journal::Answered* answered;
};
struct MayHaveExecuted {  // a request about a lease
  const journal::Asked* asked;
};
struct WorkBegan {
  Incarnation who;
  const WorkItem* item;
  const WorkDone* done = nullptr;  // no result came back: it may have been refused, and may still run
  // The store's clock showed no more than this then. Said only of a life whose journal begins late, as what it was told
  // before is not known; max() if nothing bounds it.
  StoreTime at_most = StoreTime::min();
};
struct WorkOver {
  Incarnation who;
  const WorkItem* item;
  const WorkDone* done = nullptr;
};
// What the life did after it is not known, and it may have given the lease back (LostEnd).
struct EndIsLost {
  Incarnation who;
  ResourceId resource;
};

struct Moment {
  sim::TrueTime at;
  std::variant<NodeWrote, StoreExecuted, MayHaveExecuted, WorkBegan, WorkOver, EndIsLost> what;
};

struct Moments {
  std::vector<Moment> moments;
  // The resources for which the store's clock went back: their writes have no order.
  std::vector<ResourceId> clock_went_back;
  std::size_t unfinished = 0;  // pieces of work without a result
  // Of each commit, the latest time of the store's clock that its scheduler had heard when it asked for it.
  std::map<RequestId, StoreTime> heard;
};

// The history must outlive what is returned.
std::variant<Moments, BadJournal> moments_of(const JournalHistory& history);

}  // namespace tenure::lab
