// Every protocol under every scheduler, with clocks that are wrong, work that takes time, and edits.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "format/plans/plans.h"

namespace tenure::judging {

using Pair = std::pair<std::string, std::string>;  // a protocol and a scheduler
std::vector<Pair> pairs();

// As hunts judge it. `idempotent`: the resource begins an event once.
sim::ScenarioFile mixed(const Pair& pair, bool idempotent);

}  // namespace tenure::judging
