// What faults turn at a store.
//
// Thread rule: values.
#pragma once

#include <cstdint>

#include "core/base/time.h"
#include "core/store/row_lock.h"

namespace tenure::sim {

struct StoreKnobs {
  bool down = false;  // connections are refused; requests inside are lost
  bool hang = false;  // accepts requests but stands still, unless its server dies
  Duration slow;      // added to each execution
  std::int64_t ack_lost_ppm = 0;
  std::int64_t request_lost_ppm = 0;
  std::int64_t rejected_ppm = 0;
  RowLock lease_lock = RowLock::none;  // held by a stalled transaction, unless its server dies
  bool operator==(const StoreKnobs&) const = default;
};

}  // namespace tenure::sim
