// RapidCheck prints generated values as the sections of a scenario file.
//
// RapidCheck finds these by the namespaces of the types.
//
// Thread rule: pure functions.
#pragma once

#include <iosfwd>

#include "core/model/parameters.h"
#include "core/schedule/definition.h"
#include "sim/scenario/scenario.h"

namespace tenure {
void showValue(const Parameters& parameters, std::ostream& stream);
void showValue(const Definition& definition, std::ostream& stream);
}  // namespace tenure

namespace tenure::sim {
void showValue(const Scenario& scenario, std::ostream& stream);
void showValue(const FaultSetting& fault, std::ostream& stream);
void showValue(const ScheduleSetting& schedule, std::ostream& stream);
}  // namespace tenure::sim
