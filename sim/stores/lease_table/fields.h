// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/lease_table/requests.h"

namespace tenure::lease_table {

TENURE_FIELDS(TryLock, resource, holder, duration)
TENURE_FIELDS(Beat, resource, holder, heartbeat, stale_before)
TENURE_FIELDS(Locked, expires_at)
TENURE_NO_FIELDS(NoRow)

}  // namespace tenure::lease_table
