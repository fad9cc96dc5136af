#include "core/electors/registry.h"

#include <algorithm>
#include <array>

#include "core/electors/client_go/client_go.h"
#include "core/electors/db_lease/db_lease.h"
#include "core/electors/fenced_lease/fenced_lease.h"
#include "core/electors/heartbeat_lock/heartbeat_lock.h"
#include "core/electors/token_ring/token_ring.h"

namespace tenure {

std::span<const ElectorKind> elector_kinds() {
  static const std::array kinds = {kFencedLease, kDbLease, kHeartbeatLock, kClientGo, kTokenRing};
  return kinds;
}

const ElectorKind* find_elector_kind(std::string_view name) {
  const std::span<const ElectorKind> kinds = elector_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [name](const ElectorKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace tenure
