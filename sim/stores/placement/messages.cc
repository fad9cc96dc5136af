// This store's messages: for core.
#include "sim/stores/message_kind.h"
#include "sim/stores/placement/fields.h"

namespace tenure::placement {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 12>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 12>; }

}  // namespace tenure::placement
