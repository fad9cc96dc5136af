// Which records a reader can skip at once; most records are about fires.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "sim/world/record.h"

namespace tenure::sim {

// `kinds`: a record_mask.
inline bool is_one_of(std::uint32_t kinds, const Record& record) {
  return ((kinds >> record.index()) & 1u) != 0;
}

// Acts of nodes, stores and the outside world. The other records are about lives, clocks, notes and faults.
inline bool is_act(const Record& record) {
  constexpr std::uint32_t kActs =
      record_mask<Submitted, WorkAsked, Applied, WorkArrived, WorkEnded, WriteAsked, WriteLanded>();
  return is_one_of(kActs, record);
}

}  // namespace tenure::sim
