// What the instances of these tests elect a leader for.
//
// Thread rule: values.
#pragma once

#include "core/base/ids.h"

namespace tenure::testing {

inline constexpr ResourceId kResource{7};

}  // namespace tenure::testing
