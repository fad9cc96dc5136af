// How quickly fenced-outbox can tell its store of what it fires, as it is built (core/scheduler/fenced_outbox): what
// overloads() reckons with.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "core/base/function_ref.h"
#include "core/base/time.h"
#include "core/model/parameters.h"

namespace tenure::sim {

// What it has to do, and on which store. All in the mean.
struct CommitLoad {
  Duration request;  // so long the store takes for one
  Duration way;      // there and back
  // How many schedules come due within that time.
  FunctionRef<std::int64_t(Duration)> due_within = {};
};

struct CommitPace {
  Duration apart;         // from one commit to the next, in the mean
  std::int64_t rows = 0;  // that fire, of each, at most
  std::int64_t workers = 0;
};

// So many pieces of work, at most, a leader begins in one step.
struct BegunTogether {
  std::int64_t fires = 0;
  std::int64_t runs = 0;  // that clients asked for
};

// One connection carries all requests of the scheduler, one after the other: a commit waits for a poll and for an
// acknowledgement, if they are due, and looks through the outbox, pages that are read ahead and pruning take the
// leader's turn now and then.
CommitPace commit_pace(const Parameters& scheduling, const CommitLoad& load);
BegunTogether most_begun_together(const Parameters& scheduling);

}  // namespace tenure::sim
