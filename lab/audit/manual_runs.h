// Manual runs: a client asked the store for each that a leader began, and that was a change of the store.
//
// A leader finds a run when it reads what waits. Such an answer tells a position of the rest, also where changes of
// leases are counted apart. So the store was asked for the run by the last of these answers before the run began; and
// after all that were there kBeginsWithin before, if the leader has had places since.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lab/audit/evidence.h"

namespace tenure::lab {

// Those that some life began.
std::set<journal::ClientChange::Run> manual_runs_begun(const JournalHistory& history, ResourceId resource);

// `untold`: those that no client's line tells. Each has a position of its own that is not among `told`, which are in
// order.
void judge_manual_runs(const Evidence& evidence, ResourceId resource,
                       const std::set<journal::ClientChange::Run>& untold,
                       const std::vector<std::uint64_t>& told);

}  // namespace tenure::lab
