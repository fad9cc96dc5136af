// This store's messages: in words, and for core.
#include <fmt/format.h>

#include "core/model/describe.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/message_kind.h"

namespace tenure::lease_table {
// Not in a namespace without a name: message_kind.h finds them by their arguments.

static std::string in_words(const TryLock& it) {
  const auto& [resource, holder, duration] = it;
  return fmt::format("try lock as {} for {}{}", tenure::describe(holder), tenure::describe(duration),
                     in_resource(resource));
}
static std::string in_words(const Beat& it) {
  const auto& [resource, holder, heartbeat, stale_before] = it;
  return fmt::format("beat as {} at {} over what is older than {}{}", tenure::describe(holder),
                     tenure::describe(heartbeat), tenure::describe(stale_before), in_resource(resource));
}
static std::string in_words(const Locked& it) {
  const auto& [expires_at] = it;
  return "locked until " + tenure::describe(expires_at);
}
static std::string in_words(const NoRow&) { return "no row"; }

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 1>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 1>; }

}  // namespace tenure::lease_table
