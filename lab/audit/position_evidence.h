// What the store's positions show: each change of a resource has the next number, so a change that no journal tells
// leaves a gap, and no number is given to two changes (positions-once).
//
// Postgres counts leases apart from the rest, SQLite counts everything together. Apart, the counts meet: an acquire, a
// release and a write under a token follow the greater of both, so that a change that is missing below that does not
// show. The audit does not ask which store it was: a gap counts only if it is a gap in both ways. Each request without
// an answer explains one position after it was sent.
//
// Clients write no journals. The process that asks for them may tell what they changed (version 5), and what of it is
// not known explains one position, as a node's. What else they did, these journals may show: the change feed tells of
// edits, and leaders begin manual runs. Each of these explains one position, unless a client's line tells the same.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/history.h"

namespace tenure::sim {

// `edits`: when clients edited each resource, as far as only the change feed tells.
void compare_positions(const JournalHistory& history,
                       const std::map<ResourceId, std::vector<StoreTime>>& edits, AuditFindings& findings);

}  // namespace tenure::sim
