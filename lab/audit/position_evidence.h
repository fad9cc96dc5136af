// What the store's positions show: each change of a resource has the next number, so a change that no journal tells
// leaves a gap.
//
// Postgres counts leases apart from the rest, SQLite counts everything together. Apart, the counts meet: an acquire, a
// release and a write under a token follow the greater of both, so that a change that is missing below that does not
// show. The audit does not ask which store it was: a gap counts only if it is a gap in both ways. Each request without
// an answer explains one position after it was sent. So does each edit or manual run of a client (clients write no
// journals), as far as these journals show it.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/history.h"

namespace tenure::sim {

// `edits`: when clients edited each resource, as far as known.
void compare_positions(const JournalHistory& history,
                       const std::map<ResourceId, std::vector<StoreTime>>& edits, AuditFindings& findings);

}  // namespace tenure::sim
