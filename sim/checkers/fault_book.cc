#include "sim/checkers/fault_book.h"

#include <algorithm>

#include "core/model/describe.h"

namespace tenure::sim {
namespace {

using Manner = FaultBook::Manner;

struct Known {
  std::string_view action;
  Trouble trouble;
  Manner manner = Manner::plain;
};

// An action that is not here is no trouble of a named kind.
constexpr Known kKnown[] = {
    {"kill", Trouble::crash},
    {"restart", Trouble::crash},
    {"crash-loop", Trouble::crash, Manner::kills_again},
    {"pause", Trouble::pause},
    {"vm-pause", Trouble::pause},
    {"stop", Trouble::deploy},
    {"rolling-restart", Trouble::deploy},
    {"partition", Trouble::network, Manner::cuts},
    {"delay", Trouble::network},
    {"loss", Trouble::network},
    {"duplicate", Trouble::network},
    {"reorder", Trouble::network},
    {"store-down", Trouble::store, Manner::cuts},
    {"store-hang", Trouble::store, Manner::cuts},
    {"store-request-lost", Trouble::store, Manner::cuts},
    {"store-ack-lost", Trouble::store, Manner::cuts},
    {"store-reject", Trouble::store},
    {"store-session-loss", Trouble::store},
    {"store-lock-held", Trouble::store},
    {"store-partial", Trouble::store},
    {"rights-lost", Trouble::store},
    {"poison-definition", Trouble::deploy},
    {"store-failover", Trouble::store, Manner::fails_over},
    {"store-slow", Trouble::store},
    {"store-clock-step", Trouble::clock},
    {"clock-step", Trouble::clock},
    {"clock-rate", Trouble::clock},
    {"clock-freeze", Trouble::clock},
    {"slow-node", Trouble::other},
};

// Is `node` among the names in "n1 n3"?
bool names(std::string_view target, const std::string& node) {
  while (!target.empty()) {
    const std::size_t space = std::min(target.find(' '), target.size());
    if (target.substr(0, space) == node) return true;
    target.remove_prefix(std::min(space + 1, target.size()));
  }
  return false;
}

}  // namespace

std::string_view name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::start: return "start";
    case Trouble::crash: return "crash";
    case Trouble::pause: return "pause";
    case Trouble::deploy: return "deploy";
    case Trouble::network: return "network";
    case Trouble::store: return "store";
    case Trouble::clock: return "clock";
    case Trouble::other: break;
  }
  return "other";
}

void FaultBook::see(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    std::erase_if(faults_, [now](const Fault& fault) { return fault.counts_until < now; });
    const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                           [began](const Known& row) { return row.action == began->action; });
    if (known == std::end(kKnown)) return;
    Fault fault{began->id, known->trouble, known->manner, std::string{began->target}, now, TrueTime::max()};
    const bool waits = known->trouble == Trouble::deploy || known->manner == Manner::fails_over;
    if (began->duration == Duration{} && !waits) fault.counts_until = now + kAftermath;
    faults_.push_back(std::move(fault));
  } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
    for (Fault& fault : faults_) {
      if (fault.id == ended->id) fault.counts_until = now + kAftermath;
    }
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    // Until now nobody could notice anything.
    for (Fault& fault : faults_) {
      if (fault.manner != Manner::fails_over || fault.counts_until != TrueTime::max()) continue;
      fault.began = now;
      fault.counts_until = now + kAftermath;
    }
  } else if (std::holds_alternative<Healed>(record)) {
    for (Fault& fault : faults_) fault.counts_until = std::min(fault.counts_until, now + kAftermath);
  }
}

const FaultBook::Fault* FaultBook::at_work_on(TrueTime now, NodeId node, bool deploys) const {
  const std::string name = describe(node);
  const Fault* latest = nullptr;
  for (auto fault = faults_.rbegin(); fault != faults_.rend(); ++fault) {
    const bool unnoticed = fault->manner == Manner::fails_over && fault->counts_until == TrueTime::max();
    if (fault->counts_until < now || unnoticed) continue;
    if (fault->trouble == Trouble::crash || fault->trouble == Trouble::pause) continue;  // seen as such
    if (fault->trouble == Trouble::deploy && !deploys) continue;
    if (!fault->target.empty() && fault->target != "store" && !names(fault->target, name)) continue;
    const bool goes_on = fault->counts_until == TrueTime::max();
    if (fault->cuts() && goes_on) return &*fault;
    if (latest == nullptr) latest = &*fault;
  }
  return latest;
}

std::uint64_t FaultBook::latest(Trouble trouble, NodeId node) const {
  const std::string name = describe(node);
  for (auto fault = faults_.rbegin(); fault != faults_.rend(); ++fault)
    if (fault->trouble == trouble && (fault->target.empty() || names(fault->target, name))) return fault->id;
  return 0;
}

bool FaultBook::kills_at(TrueTime now) const {
  return std::any_of(faults_.begin(), faults_.end(), [now](const Fault& fault) {
    if (fault.trouble != Trouble::crash) return false;
    return fault.began == now || (fault.manner == Manner::kills_again && fault.counts_until > now);
  });
}

}  // namespace tenure::sim
