// This store's messages: for core.
#include "sim/stores/etcd/fields.h"
#include "sim/stores/message_kind.h"

namespace tenure::etcd {

// The traces of those that ask for no stale read stay as they were.
void fold(Hasher& hasher, const Get& it) {
  const auto& [key, range_end, max_create_revision, serializable] = it;
  hasher.add(key);
  fold(hasher, range_end);
  fold(hasher, max_create_revision);
  if (serializable) hasher.add(serializable);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 8>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 8>; }

}  // namespace tenure::etcd
