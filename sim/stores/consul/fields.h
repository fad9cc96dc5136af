// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/consul/requests.h"

namespace tenure::consul {

TENURE_FIELDS(SessionCreate, ttl, lock_delay, behavior)
TENURE_FIELDS(SessionRenew, id)
TENURE_FIELDS(SessionDestroy, id)
TENURE_FIELDS(KvGet, key, index, wait)
TENURE_FIELDS(KvPut, key, value, acquire, release, cas)
TENURE_FIELDS(KvDelete, key, cas)
TENURE_FIELDS(SessionEntry, id, ttl)
TENURE_FIELDS(Renewed, session)
TENURE_FIELDS(Done, ok)
TENURE_FIELDS(KvPair, key, value, session, lock_index, create_index, modify_index)
TENURE_FIELDS(Found, index, pair)
TENURE_FIELDS(Failed, message)

}  // namespace tenure::consul
