// The faults: each is defined in the file of its kind (process_faults.cc, …), and has one row here.
//
// Thread rule: constants.
#pragma once

#include "sim/faults/registry.h"

namespace tenure::sim {

// One row for each fault. Hunts draw in this order, so add a new one at the end.
// clang-format off
#define TENURE_FAULTS(ROW) \
  ROW(kKill) \
  ROW(kRestart) \
  ROW(kStop) \
  ROW(kRollingRestart) \
  ROW(kCrashLoop) \
  ROW(kPause) \
  ROW(kVmPause) \
  ROW(kSlowNode) \
  ROW(kClockStep) \
  ROW(kClockRate) \
  ROW(kClockFreeze) \
  ROW(kPartition) \
  ROW(kDelay) \
  ROW(kLoss) \
  ROW(kDuplicate) \
  ROW(kReorder) \
  ROW(kStoreDown) \
  ROW(kStoreSlow) \
  ROW(kStoreHang) \
  ROW(kStoreReject) \
  ROW(kStoreAckLost) \
  ROW(kStoreRequestLost) \
  ROW(kStoreSessionLoss) \
  ROW(kStoreLockHeld) \
  ROW(kStorePartial) \
  ROW(kRightsLost) \
  ROW(kPoisonDefinition) \
  ROW(kStoreFailover) \
  ROW(kStoreClockStep) \
  ROW(kDestinationDown) \
  ROW(kDestinationSlow) \
  ROW(kWorkerPause) \
  ROW(kWorkerCrash) \
  ROW(kWorkerCutOff) \
  ROW(kStoreRedelivery) \
  ROW(kStoreMinority) \
  ROW(kWorkerStop)
// clang-format on

#define TENURE_DECLARE(fault) extern const FaultKind fault;
TENURE_FAULTS(TENURE_DECLARE)
#undef TENURE_DECLARE

}  // namespace tenure::sim
