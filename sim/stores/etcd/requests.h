// Requests to etcd: keys with revisions, leases, transactions, watches. The names are those of its API, v3, but that a
// range of keys is read by Get, as its clients have it.
//
// A range has every key from `key` up to, and without, `range_end`; without one it is the key alone. "\0" has no end.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/store/message.h"

namespace tenure::etcd {

struct Get {
  std::string key;
  std::optional<std::string> range_end;
  std::optional<std::int64_t> max_create_revision;
  bool serializable = false;  // any server answers by what it has; in a transaction it means nothing
};
struct Put {
  std::string key;
  std::string value;
  std::optional<std::int64_t> lease;  // the key goes with it; absent: it stays, and a former lease is gone
};
struct DeleteRange {
  std::string key;
  std::optional<std::string> range_end;
};

// Of a key, one of the five. Of a key that is not there each number is 0, and no comparison of its value holds.
struct Compare {
  std::string key;
  std::optional<std::string> result;  // "EQUAL" if absent, "NOT_EQUAL", "GREATER", "LESS"
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> create_revision;
  std::optional<std::int64_t> mod_revision;
  std::optional<std::int64_t> lease;
  std::optional<std::string> value;
};
using Operation = std::variant<Get, Put, DeleteRange>;
// If all comparisons hold, `success`, else `failure`; together at one revision.
struct Txn {
  std::vector<Compare> compare;
  std::vector<Operation> success;
  std::vector<Operation> failure;
};
// Forgets what was before this revision.
struct Compact {
  std::int64_t revision = 0;
};

// Waits for an event of these keys at or after `start_revision`; absent: for the next one. Who has seen an answer goes
// on with the revision after it.
struct Watch {
  std::string key;
  std::optional<std::string> range_end;
  std::optional<std::int64_t> start_revision;
};

struct LeaseGrant {
  std::int64_t ttl = 0;            // whole seconds
  std::optional<std::int64_t> id;  // absent: the server chooses one
};
struct LeaseRevoke {
  std::int64_t id = 0;
};
// Of a lease that has ended, and is not revoked yet, it waits until it is.
struct LeaseKeepAlive {
  std::int64_t id = 0;
};
struct LeaseTimeToLive {
  std::int64_t id = 0;
};

// ---- replies: `revision` is the store's ----------------------------------------------------------------------------

struct KeyValue {
  std::string key;
  std::string value;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;  // 0: none
};
struct GetResponse {
  std::int64_t revision = 0;
  std::vector<KeyValue> kvs;  // by key
};
struct PutResponse {
  std::int64_t revision = 0;
};
struct DeleteRangeResponse {
  std::int64_t revision = 0;
  std::int64_t deleted = 0;
};
using OperationResponse = std::variant<GetResponse, PutResponse, DeleteRangeResponse>;
struct TxnResponse {
  std::int64_t revision = 0;
  bool succeeded = false;
  std::vector<OperationResponse> responses;
};
struct CompactionResponse {
  std::int64_t revision = 0;
};
// Of a deleted key, `kv` has the key and mod_revision alone.
struct KeyEvent {
  std::string type;  // "PUT", "DELETE"
  KeyValue kv;
};
struct WatchResponse {
  std::int64_t revision = 0;
  std::vector<KeyEvent> events;
  std::int64_t compact_revision = 0;  // not 0: what was to be watched is forgotten, and there are no events
};
struct LeaseGrantResponse {
  std::int64_t revision = 0;
  std::int64_t id = 0;
  std::int64_t ttl = 0;
};
struct LeaseRevokeResponse {
  std::int64_t revision = 0;
};
struct LeaseKeepAliveResponse {
  std::int64_t revision = 0;
  std::int64_t id = 0;
  std::int64_t ttl = 0;  // 0: there is no such lease
};
struct LeaseTimeToLiveResponse {
  std::int64_t revision = 0;
  std::int64_t id = 0;
  std::int64_t ttl = 0;  // -1: there is no such lease
  std::int64_t granted_ttl = 0;
};
// Nothing was changed.
struct Failed {
  std::string message;
};

using Request = std::variant<Get, Put, DeleteRange, Txn, Compact, Watch, LeaseGrant, LeaseRevoke,
                             LeaseKeepAlive, LeaseTimeToLive>;
using Reply = std::variant<GetResponse, PutResponse, DeleteRangeResponse, TxnResponse, CompactionResponse,
                           WatchResponse, LeaseGrantResponse, LeaseRevokeResponse, LeaseKeepAliveResponse,
                           LeaseTimeToLiveResponse, Failed>;

// Their fields (core/base/fields.h).
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

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::etcd
