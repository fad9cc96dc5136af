// Lives that go on after their end.
//
// `died` is the last line of a life: the runtime writes nothing after it. Where something follows, one of the
// two was not written by the runtime, or it has a bug. Then the end is not believed: what the life declared
// before stands, and what it did after is judged with the rest.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/journal_reader.h"

namespace tenure::sim {

// Takes those ends out of the journals, and reports each (life-ends-once). REQUIRES: the journals are whole.
void take_false_ends_away(std::vector<NodeJournal>& journals, AuditFindings& findings);

}  // namespace tenure::sim
