// How long it takes at most, from the end of a fault, until what the fault did is over: somebody leads again, all
// that was measured meanwhile has been measured again, and what was due has been handled.
//
// A tail must be as long (format/build/tail.h), and so long after its end a fault can excuse what its protocol says
// it recovers from (sim/runner/claims.h). docs/scenarios.md states the rule; docs/adr/0021 gives the reasons.
//
// The election: the sum of its duration parameters and a second, and no less than the longest of them at any
// instance. A failover takes at most one lease or timeout, one wait of each kind that the protocol has, and one
// request timeout; each is among the parameters. Where instances differ, the quickest one's sum counts, because it
// is the one that will lead; where a rolling restart brings other settings, theirs count as well. And where faults
// can keep a leader from the store, no less than its scheduler's stall_timeout and the time to ask for the lease
// again: so long it may have stepped aside when the heal comes. On top of it come
//   where the store fails over: the longest lease, which is then counted once more;
//   where faults delay what is under way (store-slow, delay): the sum of those delays;
//   the scheduler's part: scheduling_recovery.
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::sim {

Duration recovery(const Scenario& scenario);

}  // namespace tenure::sim
