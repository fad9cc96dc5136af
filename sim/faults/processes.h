// Shared by the faults of processes: whether a process that is down would notice the fault.
//
// Thread rule: pure functions.
#pragma once

#include "sim/faults/registry.h"
#include "sim/world/world.h"

namespace tenure::sim {

// For FaultKind::in_vain, for a fault that holds the process down until `until`.
inline const char* down_anyway(const World& world, NodeId node, TrueTime until) {
  const SimProcess& process = world.process(node);
  return !process.alive() && process.down_until() >= until ? "its target is down already" : nullptr;
}

}  // namespace tenure::sim
