// How long a tail must be, so that what is demanded in it can come true.
//
// The rule, for any protocol: the sum of its duration parameters, at the slowest instance or the slowest settings
// that a rolling restart brings, and a second. A failover takes at most one lease or timeout, one wait of each kind
// that the protocol has, and one request timeout; each is among the parameters, and nothing of a length that matters is
// not. docs/scenarios.md states the rule.
//
// Thread rule: pure functions.
#pragma once

#include "sim/scenario/scenario.h"

namespace tenure::sim {

Duration needed_tail(const Scenario& scenario);

}  // namespace tenure::sim
