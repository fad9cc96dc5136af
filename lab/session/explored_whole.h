// In which bounds every order of a design in a situation was tried, where its file says, under [exhaustive], what
// has all of its faults. It is no proof for every draw: latencies are the exploration's own.
//
// Thread rule: pure, but that it ends when the process is interrupted.
#pragma once

#include <optional>
#include <string>

#include "core/base/time.h"
#include "format/plans/plans.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// "in every order: 2 instances; 0 crashes, 1 pause, 0 losses, 0 delays; within 40s: 5,163 states". Empty: the design
// cannot be explored, or not all of it within the states that a comparison spends, or it shows two leaders or
// nothing. The horizon is as long as the bounds say, and at least as long as a situation lasts for a design whose
// own failover time is known.
std::string explored_whole(const sim::Scenario& scenario, const format::ExhaustiveSetting& bounds,
                           std::optional<Duration> own_time);

}  // namespace tenure::lab
