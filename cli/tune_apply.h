// A setting as those who run it write it down: Go and flags for client-go, [election] for what is ours.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace tenure::cli {

// Of the first instance; lines, each after `indent`.
std::string configuration_of(const sim::Scenario& scenario, std::string_view indent);

}  // namespace tenure::cli
