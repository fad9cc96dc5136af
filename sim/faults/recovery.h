// The longest time from the end of a fault until its effects are over: somebody leads again, everything that was
// measured meanwhile has been measured again, and what was due has been handled.
//
// A tail must be at least this long. For this long after its end, a fault can excuse what its protocol recovers from
// (sim/runner/claims.h). docs/scenarios.md states the rule, docs/adr/0021 gives the reasons, and format/parse/tail.h
// judges it.
//
// The election: the sum of its duration parameters and a second, and no less than the longest of them at any instance.
// A failover takes at most one lease or timeout, one wait of each kind that the protocol has, and one request timeout;
// each is among the parameters. If instances differ, the quickest one's sum counts, because that one will lead. If a
// rolling restart brings other settings, these count as well. If faults can keep a leader from the store, it is at
// least its scheduler's stall_timeout and the time to ask for the lease again: the leader may have stepped aside for
// that long when the heal comes. On top of it come
//   where the store fails over: the longest lease, which is then counted once more;
//   where a process that starts again is there only later ([work] startup): that; and where an only instance exits
//     when it has lost its leadership: the longest back-off;
//   where faults delay what is under way (store-slow, delay): the largest sum of those that can be in force at once;
//   the scheduler's part: scheduling_recovery. Of a scheduler that somebody brought: the sum of its durations, and a
//     second. A design says of a duration that it delays no recovery (`recovery = false`).
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::sim {

Duration recovery(const Scenario& scenario);

}  // namespace tenure::sim
