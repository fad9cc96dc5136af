// no-lost-fire, as far as journals tell: the slots of every known definition are in commits, or no leader was free to
// commit them.
//
// A slot is owed if it was due while a leader was free to commit it (leading_time.h) for 10 s, and the leader passed
// it over: it committed what was due later, or committed nothing for as long. It is lost if that lasted for
// `stall_timeout` more, and lacking otherwise: the leader states that time itself. For a schedule that queues behind
// its work, time with work in hand does not count. What a delete closed is recorded by the store.
//
// After a failover only what the newest branch tells is judged, from its first commit of each version on. A version
// that was due and has no commit at all since then is lacking.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/audit/definitions.h"
#include "lab/audit/findings.h"
#include "lab/audit/lease_evidence.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

inline constexpr std::string_view kNoLostFire = "no-lost-fire";

// Why these journals do not tell what is owed; nullptr: they do.
const char* cannot_tell_what_is_owed(const Definitions& definitions);
// Returns what is not judged. `clock_went_back`: resources for which the store's clock went back. REQUIRES: the
// journals can tell.
std::vector<std::string> compare_owed(const JournalHistory& history, const Definitions& definitions,
                                      const std::map<ResourceId, LeaseFacts>& leases,
                                      const std::vector<ResourceId>& clock_went_back, const Names& names,
                                      AuditFindings& findings);

}  // namespace tenure::sim
