// Cancellation by the names that programs of users may know.
//
// Thread rule: as cancellation.h.
#pragma once

#include "lab/session/cancellation.h"

namespace tenure::lab {

inline void interrupt() { request_cancellation(); }
inline void forget_interruption() { forget_cancellation(); }

}  // namespace tenure::lab
