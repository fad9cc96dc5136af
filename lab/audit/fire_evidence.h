// Compares commits and work with each other, without a schedule's definition.
//
//   work-was-committed  The work of a slot begins after somebody committed that slot. Who committed it may
//                       have no journal here: then it is said. Manual runs are asked for by clients, and are
//                       not judged.
//   fires-begin         A leader does not commit again before it has begun what it committed, and what it
//                       found in the outbox. So what is committed has begun somewhere once the same leader,
//                       or a later one, commits again; or has looked through the outbox twice with nothing
//                       else to do.
//   commits-follow      In a version, each row begins where the one before it ended.
//
// A commit without an answer explains the slots that it asked for. A life without an end may have written more than its
// journal has: what depends on that is lacking, and no failure.
//
// Work is begun at least once: if the store had not heard that it was done when its life ended or lost the lease, the
// next leader begins it again, and that is no duplicate (begun_again).
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "lab/audit/lease_evidence.h"
#include "lab/audit/lost_ends.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

void compare_fires(const JournalHistory& history, const std::map<ResourceId, LeaseFacts>& leases,
                   const std::vector<LostEnd>& lost, const Names& names, AuditFindings& findings);

// A beginning of work: its node, its event, its time.
struct BegunWork {
  Incarnation who;
  reference::EventId event;
  TrueTime at;
  auto operator<=>(const BegunWork&) const = default;
};
using BegunAgain = std::set<BegunWork>;

// The repeated beginnings of work that "at least once" allows.
BegunAgain begun_again(const JournalHistory& history);

}  // namespace tenure::sim
