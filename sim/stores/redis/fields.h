// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/redis/requests.h"

namespace tenure::redis {

TENURE_FIELDS(Set, key, value, nx, px)
TENURE_FIELDS(Get, key)
TENURE_FIELDS(Del, key)
TENURE_FIELDS(Pexpire, key, milliseconds)
TENURE_FIELDS(Pttl, key)
TENURE_FIELDS(CompareAndDelete, key, value)
TENURE_FIELDS(CompareAndExtend, key, value, milliseconds)
TENURE_FIELDS(Status, ok)
TENURE_FIELDS(Bulk, value)
TENURE_FIELDS(Integer, value)
TENURE_FIELDS(Failed, message)

}  // namespace tenure::redis
