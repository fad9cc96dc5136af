#include "sim/protocols/registry.h"

#include "sim/protocols/client_go/client_go.h"
#include "sim/protocols/db_lease/db_lease.h"
#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"
#include "sim/protocols/in_memory/in_memory.h"
#include "sim/protocols/placement/placement.h"
#include "sim/protocols/ticker/ticker.h"
#include "sim/protocols/token_ring/token_ring.h"
#include "sim/protocols/writer/writer.h"

namespace tenure {
namespace {

constexpr std::reference_wrapper<const ElectorKind> kElectors[] = {kFencedLease, kDbLease, kHeartbeatLock,
                                                                   kClientGo, kTokenRing};
constexpr std::reference_wrapper<const SchedulerKind> kSchedulers[] = {kFencedOutbox, kTicker, kInMemory,
                                                                       kPlacement, kWriter};

template <class Kind, std::size_t kCount>
const Kind* find(const std::reference_wrapper<const Kind> (&kinds)[kCount], std::string_view name) {
  for (const Kind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace

std::span<const std::reference_wrapper<const ElectorKind>> elector_kinds() { return kElectors; }
const ElectorKind* find_elector_kind(std::string_view name) { return find(kElectors, name); }

std::span<const std::reference_wrapper<const SchedulerKind>> scheduler_kinds() { return kSchedulers; }
const SchedulerKind* find_scheduler_kind(std::string_view name) { return find(kSchedulers, name); }

}  // namespace tenure
