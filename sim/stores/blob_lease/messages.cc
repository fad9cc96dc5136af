// This store's messages: for core.
#include "sim/stores/blob_lease/fields.h"
#include "sim/stores/message_kind.h"

namespace tenure::blob_lease {

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 7>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 7>; }

}  // namespace tenure::blob_lease
