// Requests to Redis: strings with a time to live, and the two scripts of its locks. The names are Redis' own.
//
// A time to live has whole milliseconds; what is asked for is cut down to them.
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

namespace tenure::redis {

struct Set {
  std::string key;
  std::string value;
  bool nx = false;             // only if there is none
  std::optional<Duration> px;  // absent: it stays, and a former time to live is gone
};
struct Get {
  std::string key;
};
struct Del {
  std::string key;
};
struct Pexpire {
  std::string key;
  Duration milliseconds;
};
struct Pttl {
  std::string key;
};
// if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end
struct CompareAndDelete {
  std::string key;
  std::string value;
};
// The same, with redis.call("pexpire", KEYS[1], ARGV[2]).
struct CompareAndExtend {
  std::string key;
  std::string value;
  Duration milliseconds;
};

// OK, or nil.
struct Status {
  bool ok = false;
};
// A string, or nil.
struct Bulk {
  std::optional<std::string> value;
};
// How many keys were changed; of PTTL: milliseconds, -1 without an end, -2 without a key.
struct Integer {
  std::int64_t value = 0;
};
// Nothing was changed.
struct Failed {
  std::string message;
};

using Request = std::variant<Set, Get, Del, Pexpire, Pttl, CompareAndDelete, CompareAndExtend>;
using Reply = std::variant<Status, Bulk, Integer, Failed>;

// Their fields (core/base/fields.h).
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

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::redis
