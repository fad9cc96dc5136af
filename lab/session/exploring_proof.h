// What an exhaustive exploration proves of a design in a situation whose file says, under [exhaustive], what covers it.
//
// Thread rule: pure, but that it ends when the process is interrupted.
#pragma once

#include <optional>
#include <string>

#include "core/base/time.h"
#include "format/plans/plans.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// "explored in every order: 2 instances; 0 crashes, 1 pause, 0 losses, 0 delays; within 40s: 5,163 states". Empty: the
// design cannot be explored, or not all of it within the states that a comparison spends, or what was found is no
// proof. The horizon is as long as the bounds say, and at least as long as a situation lasts for a design whose own
// failover time is known.
std::string exploring_proof(const sim::Scenario& scenario, const sim::ExhaustiveSetting& bounds,
                            std::optional<Duration> own_time);

}  // namespace tenure::lab
