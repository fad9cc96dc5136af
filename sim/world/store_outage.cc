#include "sim/world/store_outage.h"

#include <variant>

#include "core/base/check.h"

namespace tenure::sim {
namespace {

template <class... Kinds>
bool is_house(const Request& request) {
  const auto* house = std::get_if<house::Request>(&request);
  return house != nullptr && (std::holds_alternative<Kinds>(*house) || ...);
}
template <class Kind>
bool is_table(const Request& request) {
  const auto* table = std::get_if<schedule_table::Request>(&request);
  return table != nullptr && std::holds_alternative<Kind>(*table);
}

}  // namespace

bool fails(OutageOf of, Part part, const Request& request) {
  switch (of) {
    case OutageOf::elector: return part == Part::elector;
    case OutageOf::scheduler: return part == Part::scheduler;
    case OutageOf::commits:
      return is_house<house::CommitFires, house::SetHold, house::ClearHold>(request) ||
             is_table<schedule_table::SetNextRun>(request);
    case OutageOf::acknowledgements: return is_house<house::AckEvents>(request);
    case OutageOf::reads:
      return is_house<house::ReadDue, house::ReadOutbox, house::ChangesSince>(request) ||
             is_table<schedule_table::ReadRuns>(request);
    case OutageOf::due:
      return is_house<house::ReadDue>(request) || is_table<schedule_table::ReadRuns>(request);
    case OutageOf::outbox: return is_house<house::ReadOutbox>(request);
    case OutageOf::changes: return is_house<house::ChangesSince>(request);
  }
  CHECK(false, "every outage says what fails");
}

}  // namespace tenure::sim
