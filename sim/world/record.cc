#include "sim/world/record.h"

#include "core/base/check.h"

namespace tenure::sim {

std::string_view name_of(Death how) {
  switch (how) {
    case Death::killed: return "killed";
    case Death::stopped: return "stopped";
    case Death::exited: return "exited";
  }
  CHECK(false, "every death has a name");
}

std::string_view name_of(DeliveryOutcome landing) {
  switch (landing) {
    case DeliveryOutcome::begun: return "begun";
    case DeliveryOutcome::fenced: return "fenced";
    case DeliveryOutcome::running: return "running";
    case DeliveryOutcome::duplicate: return "duplicate";
  }
  CHECK(false, "every landing has a name");
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::done: return "done";
    case Ending::stopped: return "stopped";
    case Ending::died: return "died";
    case Ending::failed: return "failed";
  }
  CHECK(false, "every ending has a name");
}

}  // namespace tenure::sim
