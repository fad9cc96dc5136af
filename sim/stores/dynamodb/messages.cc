// This store's messages: for core.
#include "sim/stores/dynamodb/fields.h"
#include "sim/stores/message_kind.h"

namespace tenure::dynamodb {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 6>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 6>; }

}  // namespace tenure::dynamodb
