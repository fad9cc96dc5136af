// How long it takes several candidates that poll at drawn gaps to see a record stand still, by renewal theory.
//
// A candidate of client-go polls with gaps of U[R, 2.2 R] and a round trip d. It sees the last change with the first
// poll after it, Res1 later; and takes the record with the first poll that begins L after it has seen it, Res2 later.
//   Res1  the change comes at a moment that has nothing to do with the polls: the stationary residual of a gap, whose
//         density is P(G > x) / E[G].
//   Res2  counts from that very poll, so it is not stationary: it is the forward recurrence time at L + d of a renewal
//         process that begins at 0 (Feller II, ch. XI). With few gaps in a lease that is seconds away from stationary.
// Of N candidates the one with the least sum is first. All on a lattice of steps, in whole numbers; d at its mean.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace tenure::lab {

// E[min over the candidates of Res1 + Res2]. REQUIRES: retry > 0, round_trip >= 0, candidates > 0.
Duration mean_poll_wait(Duration retry, Duration round_trip, Duration lease, std::int64_t candidates);

}  // namespace tenure::lab
