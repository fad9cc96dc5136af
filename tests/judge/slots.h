// The slots of a definition, as the core enumerates them. The checkers do so in another way (sim/checkers/oracle), so
// a mistake of either is a difference.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/schedule/definition.h"

namespace tenure::judging {

// Those in [from, to), in order.
inline std::vector<StoreTime> slots_between(const Definition& definition, StoreTime from, StoreTime to) {
  std::vector<StoreTime> slots;
  for (auto slot = slot_at_or_after(definition, from); slot && *slot < to;
       slot = slot_after(definition, *slot))
    slots.push_back(*slot);
  return slots;
}

inline bool is_slot(const Definition& definition, StoreTime time) {
  return slot_at_or_after(definition, time) == time;
}

}  // namespace tenure::judging
