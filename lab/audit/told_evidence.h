// Compares what a life commits with what it had been told of schedules.
//
// A leader computes slots from definitions, and has these from the change feed alone, in the same life. So a commit of
// a version that no answer told it shows that lines of its journal are missing: a pass would not be one.
//
// Thread rule: pure functions.
#pragma once

#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

void compare_told(const JournalHistory& history, const Names& names, AuditFindings& findings);

}  // namespace tenure::sim
