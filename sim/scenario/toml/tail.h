// How long a tail must be, so that what is demanded in it can come true.
//
// The rule, for any protocol: the sum of its duration parameters and a second, and no less than the longest of them at
// any instance. A failover takes at most one lease or timeout, one wait of each kind that the protocol has, and one
// request timeout; each is among the parameters. Where instances differ, the quickest one's sum counts, because it is
// the one that will lead; where a rolling restart brings other settings, theirs count as well. Where a fault
// steps the store's clock, or makes a clock run beyond the bound or stand still, the scheduler's clock_hold comes on
// top, with what it takes to see its ends; where the store fails over, the longest lease, which is then counted once
// more; where faults delay what is under way (store-slow, delay), the sum of those delays. docs/scenarios.md states the
// rule.
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::sim {

Duration needed_tail(const Scenario& scenario);

}  // namespace tenure::sim
