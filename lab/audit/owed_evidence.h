// no-lost-fire, as far as journals tell: the slots of every definition that was told are in commits, or nobody was
// there to commit them.
//
// Owed is a slot that was due while one leader led for `stall_timeout` and 10 s more, and had passed it over: it
// committed what was due later, or committed nothing for as long. Not judged are schedules that were deleted, whose
// rest the store records; that queue behind their work; and all of them, where a hold stood, the workers were all
// busy, or the store failed over.
//
// Thread rule: pure functions.
#pragma once

#include <map>

#include "lab/audit/definitions.h"
#include "lab/audit/findings.h"
#include "lab/audit/lease_evidence.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

// Why the journals at hand do not tell what is owed; nullptr: they do.
const char* cannot_tell_what_is_owed(const JournalHistory& history, const Definitions& definitions);
// REQUIRES: they can.
void compare_owed(const JournalHistory& history, const Definitions& definitions,
                  const std::map<ResourceId, LeaseFacts>& leases, const Names& names,
                  AuditFindings& findings);

}  // namespace tenure::sim
