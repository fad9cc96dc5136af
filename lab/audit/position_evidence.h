// What the store's positions show: each change of a resource has the next one, so that a change that no
// journal tells of leaves a gap.
//
// Postgres counts leases apart from the rest, SQLite all together; which it was is not asked: what leaves no
// gap either way is no gap. Requests of which nothing came back explain one each; so do edits and manual runs
// of clients, which write no journals, as far as these journals show them.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/history.h"

namespace tenure::sim {

// `edits`: when clients' edits of each resource were made, as far as it is known.
void compare_positions(const JournalHistory& history,
                       const std::map<ResourceId, std::vector<StoreTime>>& edits, AuditFindings& findings);

}  // namespace tenure::sim
