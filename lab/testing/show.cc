#include "lab/testing/show.h"

#include <ostream>

#include "format/print/print.h"

namespace tenure {

void showValue(const Parameters& parameters, std::ostream& stream) {
  stream << "\n" << format::print_parameters(parameters);
}

void showValue(const Definition& definition, std::ostream& stream) {
  stream << format::print_schedule({"drawn", definition});
}

}  // namespace tenure

namespace tenure::sim {

void showValue(const Scenario& scenario, std::ostream& stream) {
  stream << "\n" << format::print_scenario(scenario);
}

void showValue(const FaultSetting& fault, std::ostream& stream) { stream << format::print_fault(fault); }

void showValue(const ScheduleSetting& schedule, std::ostream& stream) {
  stream << format::print_schedule(schedule);
}

}  // namespace tenure::sim
