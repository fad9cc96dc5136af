// This store's messages: in words, and for core.
#include <fmt/format.h>

#include "core/model/describe.h"
#include "sim/stores/message_kind.h"
#include "sim/stores/record/requests.h"

namespace tenure::record {
// Not in a namespace without a name: message_kind.h finds them by their arguments.

// A time in a record, in UTC.
static std::string whole_second(WallTime time) { return tenure::describe(StoreTime::from_ns(time.ns())); }

static std::string in_words(const Get& it) {
  const auto& [resource] = it;
  return "get record" + in_resource(resource);
}
static std::string in_words(const Put& it) {
  const auto& [resource, version, record] = it;
  return fmt::format("put record over version {}: held by {} for {}, transition {}, renewed at {}{}", version,
                     tenure::describe(record.holder), tenure::describe(record.duration), record.transitions,
                     whole_second(record.renewed), in_resource(resource));
}
static std::string in_words(const Found& it) {
  const auto& [version, record] = it;
  return fmt::format("found version {}: held by {} for {}, transition {}, renewed at {}", version,
                     tenure::describe(record.holder), tenure::describe(record.duration), record.transitions,
                     whole_second(record.renewed));
}
static std::string in_words(const NotFound&) { return "not found"; }
static std::string in_words(const Stored& it) {
  const auto& [version] = it;
  return fmt::format("stored version {}", version);
}
static std::string in_words(const Conflict&) { return "conflict"; }

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 2>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 2>; }

}  // namespace tenure::record
