#include "sim/world/fault_cause.h"

namespace tenure::sim {

std::string_view name_of(FaultCause cause) {
  switch (cause) {
    case FaultCause::start: return "start";
    case FaultCause::crash: return "crash";
    case FaultCause::pause: return "pause";
    case FaultCause::deploy: return "deploy";
    case FaultCause::network: return "network";
    case FaultCause::store: return "store";
    case FaultCause::clock: return "clock";
    case FaultCause::slow: return "slow";
    case FaultCause::other: break;
  }
  return "other";
}

}  // namespace tenure::sim
