// This store's messages: for core.
#include "sim/stores/consul/fields.h"
#include "sim/stores/message_kind.h"

namespace tenure::consul {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 9>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 9>; }

}  // namespace tenure::consul
