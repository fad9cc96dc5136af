// Whether something happens that has a chance in a million.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "sim/kernel/keyed_rng.h"

namespace tenure::sim {

inline bool happens(KeyedRng rng, std::int64_t ppm) {
  return ppm > 0 && rng.below(1'000'000) < static_cast<std::uint64_t>(ppm);
}

}  // namespace tenure::sim
