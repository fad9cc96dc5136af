// Compares commits of events for destinations with what was sent.
//
// A leader sends what waits for a destination as soon as that has room. If it has committed events that no journal
// sends, and goes on without sending anything there, and without anything under way there, lines are missing. Clients
// may have acknowledged them: where any did, nothing is said.
//
// Thread rule: a pure function.
#pragma once

#include "lab/audit/definitions.h"
#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

void compare_sends(const JournalHistory& history, const Definitions& definitions, const Names& names,
                   AuditFindings& findings);

}  // namespace tenure::sim
