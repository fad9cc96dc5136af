// The rows of the fault registry: each is defined, with its begin and its end, in the file of its name.
//
// Thread rule: constants.
#pragma once

#include "sim/faults/registry.h"

namespace tenure::sim {

// Processes.
extern const FaultKind kKill;
extern const FaultKind kRestart;
extern const FaultKind kStop;
extern const FaultKind kRollingRestart;
extern const FaultKind kCrashLoop;
extern const FaultKind kPause;
extern const FaultKind kVmPause;
extern const FaultKind kSlowNode;
extern const FaultKind kPoisonDefinition;
// Clocks of instances.
extern const FaultKind kClockStep;
extern const FaultKind kClockRate;
extern const FaultKind kClockFreeze;
// The network.
extern const FaultKind kPartition;
extern const FaultKind kDelay;
extern const FaultKind kLoss;
extern const FaultKind kDuplicate;
extern const FaultKind kReorder;
// The store.
extern const FaultKind kStoreDown;
extern const FaultKind kStoreSlow;
extern const FaultKind kStoreHang;
extern const FaultKind kStoreAckLost;
extern const FaultKind kStoreRequestLost;
extern const FaultKind kStoreReject;
extern const FaultKind kStoreSessionLoss;
extern const FaultKind kStoreLockHeld;
extern const FaultKind kStorePartial;
extern const FaultKind kRightsLost;
extern const FaultKind kStoreFailover;
extern const FaultKind kStoreClockStep;

}  // namespace tenure::sim
