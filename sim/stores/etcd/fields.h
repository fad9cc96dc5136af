// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/etcd/requests.h"

namespace tenure::etcd {

TENURE_FIELDS(Get, key, range_end, max_create_revision, serializable)
TENURE_FIELDS(Put, key, value, lease)
TENURE_FIELDS(DeleteRange, key, range_end)
TENURE_FIELDS(Compare, key, result, version, create_revision, mod_revision, lease, value)
TENURE_FIELDS(Txn, compare, success, failure)
TENURE_FIELDS(Compact, revision)
TENURE_FIELDS(Watch, key, range_end, start_revision)
TENURE_FIELDS(LeaseGrant, ttl, id)
TENURE_FIELDS(LeaseRevoke, id)
TENURE_FIELDS(LeaseKeepAlive, id)
TENURE_FIELDS(LeaseTimeToLive, id)
TENURE_FIELDS(KeyValue, key, value, create_revision, mod_revision, version, lease)
TENURE_FIELDS(GetResponse, revision, kvs)
TENURE_FIELDS(PutResponse, revision)
TENURE_FIELDS(DeleteRangeResponse, revision, deleted)
TENURE_FIELDS(TxnResponse, revision, succeeded, responses)
TENURE_FIELDS(CompactionResponse, revision)
TENURE_FIELDS(KeyEvent, type, kv)
TENURE_FIELDS(WatchResponse, revision, events, compact_revision)
TENURE_FIELDS(LeaseGrantResponse, revision, id, ttl)
TENURE_FIELDS(LeaseRevokeResponse, revision)
TENURE_FIELDS(LeaseKeepAliveResponse, revision, id, ttl)
TENURE_FIELDS(LeaseTimeToLiveResponse, revision, id, ttl, granted_ttl)
TENURE_FIELDS(Failed, message)

}  // namespace tenure::etcd
