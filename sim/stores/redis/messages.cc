// This store's messages: for core.
#include "sim/stores/message_kind.h"
#include "sim/stores/redis/fields.h"

namespace tenure::redis {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 5>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 5>; }

}  // namespace tenure::redis
