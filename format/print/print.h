// A scenario and its plans back as TOML: complete, literal, and the same when it is parsed again.
//
// Every setting is written, defaults too, so that what a run was a function of can be read off one file. The path is
// not part of it.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "format/plans/plans.h"

namespace tenure::sim {

std::string print_scenario(const ScenarioFile& file);
// Without plans.
std::string print_scenario(const Scenario& scenario);

// Parts of one, as their sections say them.
std::string print_fault(const FaultSetting& fault);
std::string print_schedule(const ScheduleSetting& schedule);
std::string print_parameters(const Parameters& parameters);  // of [election]
// The value of a key: "5ms" in quotes, or a table in braces.
std::string print_quantiles(const Quantiles& quantiles);

}  // namespace tenure::sim
