// What several journals of one machine tell, in one order: the order of the machine's clock, and of the store's.
//
// A journal has what its node did when the node did it. What the store did is told by its answers alone:
//
//   1. An executed request is placed at the last moment at which it can have been executed: when its answer came, or
//      before the answer to what was executed later. So what was executed after something never comes before it.
//   2. The order of execution is that of the store's clock. Grants and releases have their positions: where these
//      contradict the clock, or the clock contradicts the machine's, the store's clock went back, and nothing else has
//      an order.
//   3. A request about the lease without an answer may have been executed or not, at any time since it was sent: that
//      is told where it was sent.
//   4. Work begins when its node decides to, and not when that leaves, which may be a pause later. It is over when its
//      node says so; when it never does, with the last that its life has written.
//
// Journals whose positions contradict the machine's clock (a later grant was answered before an earlier one was asked
// for) are of different machines, boots or stores, and are refused.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "sim/kernel/true_time.h"
#include "sim/world/record.h"

namespace tenure::sim {

// Pointers below are into the journals; only `done` may be null.

// A line that speaks for itself: a life, a note, a request that is sent, work that is asked for.
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
  const WorkDone* done = nullptr;  // nothing came back: it may have been refused, and may still run
};
struct WorkOver {
  Incarnation who;
  const WorkItem* item;
  const WorkDone* done = nullptr;
};

struct Moment {
  TrueTime at;
  std::variant<NodeWrote, StoreExecuted, MayHaveExecuted, WorkBegan, WorkOver> what;
};

struct Moments {
  journal::BootTime zero;  // of true time: the first line
  std::vector<Moment> moments;
  // The resources for which the store's clock went back: of their writes there is no order.
  std::vector<ResourceId> clock_went_back;
  std::size_t unfinished = 0;  // pieces of work of which nothing came back
};

// The journals must outlive what is returned.
std::variant<Moments, BadJournal> moments_of(const std::vector<NodeJournal>& journals);

}  // namespace tenure::sim
