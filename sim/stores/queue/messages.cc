// This store's messages: for core.
#include "sim/stores/message_kind.h"
#include "sim/stores/queue/fields.h"

namespace tenure::queue {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 10>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 10>; }

}  // namespace tenure::queue
