// What the lines of a life show of lines that are missing: a pass would not be one.
//
//   1. A leader has definitions from the change feed alone, in the same life. So it commits no version that no answer
//      told it.
//   2. The requests of a life are numbered. Each is answered by its deadline, which the settings tell; and a leader
//      that stops waits for the answer to its release. Work is over before it begins again under the same token.
//   3. A life says that it begins. If it is stopped, its work was over before, and it says that it has stopped.
//
// Thread rule: pure functions.
#pragma once

#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

void compare_told(const JournalHistory& history, const Names& names, AuditFindings& findings);

}  // namespace tenure::sim
