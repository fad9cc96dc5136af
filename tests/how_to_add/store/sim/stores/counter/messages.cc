// This store's messages: in words, and for core.
#include "core/model/describe.h"
#include "sim/stores/counter/requests.h"
#include "sim/stores/message_kind.h"

namespace tenure::counter {

// Not in a namespace without a name: message_kind.h finds them by their arguments.
static std::string in_words(const Increment& it) {
  const auto& [resource] = it;
  return "increment" + in_resource(resource);
}
static std::string in_words(const Counted& it) {
  const auto& [count] = it;
  return "counted " + std::to_string(count);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 100>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 100>; }

}  // namespace tenure::counter
