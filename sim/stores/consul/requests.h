// Requests to Consul: keys, sessions that lock them, and queries that wait. The names are those of its HTTP API, v1.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::consul {

struct SessionCreate {
  std::optional<Duration> ttl;          // absent: it does not end by itself
  std::optional<Duration> lock_delay;   // absent: 15 s
  std::optional<std::string> behavior;  // what happens to its keys: "release" if absent, "delete"
};
struct SessionRenew {
  std::string id;
};
struct SessionDestroy {
  std::string id;
};

// A GET. With an `index` it waits until the key has another one, for no longer than `wait`: 5 minutes if absent, 10 at
// most.
struct KvGet {
  std::string key;
  std::optional<std::int64_t> index;
  std::optional<Duration> wait;
};
// A PUT, plain or with one of the three.
struct KvPut {
  std::string key;
  std::string value;
  std::optional<std::string> acquire;  // for this session, if no other one has it
  std::optional<std::string> release;  // if this session has it
  std::optional<std::int64_t> cas;     // if this is its modify_index; 0: if there is none
};
struct KvDelete {
  std::string key;
  std::optional<std::int64_t> cas;
};

struct SessionEntry {
  std::string id;
  std::optional<Duration> ttl;
};
// The session of a renewal, if there is one.
struct Renewed {
  std::optional<SessionEntry> session;
};
// true or false.
struct Done {
  bool ok = false;
};
struct KvPair {
  std::string key;
  std::string value;
  std::optional<std::string> session;
  std::int64_t lock_index = 0;  // how often it was locked
  std::int64_t create_index = 0;
  std::int64_t modify_index = 0;
};
struct Found {
  std::int64_t index = 0;  // X-Consul-Index
  std::optional<KvPair> pair;
};
// Nothing was changed.
struct Failed {
  std::string message;
};

using Request = std::variant<SessionCreate, SessionRenew, SessionDestroy, KvGet, KvPut, KvDelete>;
using Reply = std::variant<SessionEntry, Renewed, Done, Found, Failed>;

// Their fields (core/base/fields.h).
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

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::consul
