// [tune] and [profile] as their sections say them; internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Empty when the scenario has neither.
std::string print_tune(const Scenario& scenario);

}  // namespace tenure::sim
