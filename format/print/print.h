// Prints a scenario and its plans as TOML: complete, literal, and equal when parsed again.
//
// Every setting is written, defaults too, so that one file has everything on which a run depends. The path is not part
// of it.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "format/plans/plans.h"

namespace tenure::format {

std::string print_scenario(const ScenarioFile& file);
// Without plans.
std::string print_scenario(const sim::Scenario& scenario);

// Parts of a scenario, as in their sections.
std::string print_fault(const sim::FaultSetting& fault);
std::string print_schedule(const sim::ScheduleSetting& schedule);
std::string print_parameters(const Parameters& parameters);  // of [election]
// The value of a key: "5ms" in quotes, or a table in braces.
std::string print_quantiles(const sim::Quantiles& quantiles);
// A text as TOML has it, with quotes around it.
std::string quoted(std::string_view text);

}  // namespace tenure::format
