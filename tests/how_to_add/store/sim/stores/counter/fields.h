// The fields of what this store is asked and answers (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/counter/requests.h"

namespace tenure::counter {

TENURE_FIELDS(Increment, resource)
TENURE_FIELDS(Counted, count)

}  // namespace tenure::counter
