// What faults on workers have in common. They break no assumption of any claim: leadership, fires and the ledger know
// nothing of workers.
//
// Thread rule: as the world.
#pragma once

#include "sim/faults/registry.h"
#include "sim/world/world.h"

namespace tenure::sim {

inline constexpr FaultParameterSpec kWhichWorker = {
    .name = "worker",
    .type = FaultParameterSpec::Type::worker,
    .default_text = kAllWorkers,
    .choices = {},
    .doc = "which one: of a [[worker]], or one of its processes"};

}  // namespace tenure::sim
