// This store's messages: for core.
#include "sim/stores/message_kind.h"
#include "sim/stores/zookeeper/fields.h"

namespace tenure::zookeeper {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 11>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 11>; }

}  // namespace tenure::zookeeper
