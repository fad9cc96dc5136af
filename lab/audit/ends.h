// Finds lives that go on after their end, and lives that cannot both be: two of one node at once, and one of two nodes.
//
// `died` is the last line of a life: the runtime writes nothing after it. If something follows, the runtime did not
// write one of the two, or it has a bug. Then the end is ignored: what the life declared before still holds, and what
// it did afterwards is judged with the rest.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/journal_reader.h"
#include "lab/audit/machines.h"

namespace tenure::sim {

// Removes those ends from the journals, and reports each (life-ends-once). REQUIRES: the journals are whole.
void take_false_ends_away(std::vector<NodeJournal>& journals, AuditFindings& findings);
// Those that are at once in each of these orders. REQUIRES: there is one.
void find_lives_at_once(const std::vector<NodeJournal>& journals, const std::vector<LineTimes>& orders,
                        AuditFindings& findings);

}  // namespace tenure::sim
