#include "sim/world/store_outage.h"

#include <variant>

#include "core/base/check.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::sim {
namespace {

template <class... Kinds>
bool is_reference(const Request& request) {
  const auto* reference = std::get_if<reference::Request>(&request);
  return reference != nullptr && (std::holds_alternative<Kinds>(*reference) || ...);
}
template <class Kind>
bool is_table(const Request& request) {
  const auto* table = message_as<schedule_table::Request>(request);
  return table != nullptr && std::holds_alternative<Kind>(*table);
}

}  // namespace

bool fails(OutageOf of, Part part, const Request& request) {
  switch (of) {
    case OutageOf::elector: return part == Part::elector;
    case OutageOf::scheduler: return part == Part::scheduler;
    case OutageOf::commits:
      return is_reference<reference::CommitFires, reference::SetHold, reference::ClearHold>(request) ||
             is_table<schedule_table::SetNextRun>(request);
    case OutageOf::acknowledgements:
      return is_reference<reference::AckEvents, reference::GiveUpEvents>(request);
    case OutageOf::reads:
      return is_reference<reference::ReadDue, reference::ReadOutbox, reference::ChangesSince>(request) ||
             is_table<schedule_table::ReadRuns>(request);
    case OutageOf::due:
      return is_reference<reference::ReadDue>(request) || is_table<schedule_table::ReadRuns>(request);
    case OutageOf::outbox: return is_reference<reference::ReadOutbox>(request);
    case OutageOf::changes: return is_reference<reference::ChangesSince>(request);
  }
  CHECK(false, "every outage says what fails");
}

}  // namespace tenure::sim
