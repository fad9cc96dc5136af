#include "sim/checkers/trackers/fault_tracker.h"

#include <algorithm>

namespace tenure::sim {
namespace {

// A step down that follows a request to stop so soon follows from it.
constexpr Duration kAtOnce = Duration::seconds(1);

bool strikes(const FaultTracker::Fault& fault, NodeId node) {
  return fault.nodes.empty() || std::find(fault.nodes.begin(), fault.nodes.end(), node) != fault.nodes.end();
}

// How well a fault explains a loss; 0: not at all.
int weight(const FaultTracker::Fault& fault, const FaultTracker::Loss& loss) {
  switch (fault.harm.manner) {
    case Manner::takes_away: return 4;
    case Manner::fails_over: return fault.ended != TrueTime::max() ? 4 : 0;  // until then nobody notices
    case Manner::cuts: return 4;
    case Manner::hinders: return 3;
    case Manner::weakens: return 1;
    case Manner::spares: return loss.has_store ? 0 : 1;
    case Manner::stops:
    case Manner::stops_again: break;
  }
  if (fault.harm.cause == FaultCause::pause)
    return 4;  // one that is over: it stood still, and could not renew
  if (fault.harm.cause != FaultCause::deploy || !loss.stepped_down) return 0;
  const auto& done = fault.restarted;
  if (std::find(done.begin(), done.end(), loss.node) != done.end()) return 0;
  // Of a deploy that takes turns, nobody knows beforehand when it is whose.
  return !fault.in_turn || loss.at - fault.began <= kAtOnce ? 5 : 2;
}

}  // namespace

void FaultTracker::see(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    faults_.push_back({began->id, began->harm, {began->nodes.begin(), began->nodes.end()}, now});
    const bool waits = began->harm.cause == FaultCause::deploy || began->harm.manner == Manner::fails_over;
    if (began->duration == Duration{} && !waits) faults_.back().ended = now;
    faults_.back().in_turn = began->duration == Duration{};
  } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
    for (Fault& fault : faults_)
      if (fault.id == ended->id) fault.ended = now;
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    for (Fault& fault : faults_)
      if (fault.harm.cause == FaultCause::deploy && strikes(fault, died->who.node))
        fault.restarted.push_back(died->who.node);
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    // Until now nobody could notice anything.
    for (Fault& fault : faults_) {
      if (fault.harm.manner != Manner::fails_over || fault.ended != TrueTime::max()) continue;
      fault.began = now;
      fault.ended = now;
    }
  } else if (std::holds_alternative<Healed>(record)) {
    for (Fault& fault : faults_) fault.ended = std::min(fault.ended, now);
  }
}

void FaultTracker::forget(TrueTime before) {
  std::erase_if(faults_, [before](const Fault& fault) { return fault.ended < before; });
}

const FaultTracker::Fault* FaultTracker::behind(const Loss& loss) const {
  const Fault* found = nullptr;
  int most = 0;
  Duration longest;
  for (const Fault& fault : faults_) {
    if (fault.ended < loss.renewed || !strikes(fault, loss.node)) continue;
    const int weighs = weight(fault, loss);
    const Duration at_work = std::min(fault.ended, loss.at) - std::max(fault.began, loss.renewed);
    if (weighs == 0 || weighs < most || (weighs == most && at_work < longest)) continue;
    most = weighs;
    longest = at_work;
    found = &fault;
  }
  return found;
}

std::uint64_t FaultTracker::at_work(FaultCause trouble, NodeId node, TrueTime now) const {
  for (auto fault = faults_.rbegin(); fault != faults_.rend(); ++fault)
    if (fault->harm.cause == trouble && fault->ended >= now && strikes(*fault, node)) return fault->id;
  return 0;
}

bool FaultTracker::kills_at(TrueTime now) const {
  return std::any_of(faults_.begin(), faults_.end(), [now](const Fault& fault) {
    if (fault.harm.cause != FaultCause::crash) return false;
    return fault.began == now || (fault.harm.manner == Manner::stops_again && fault.ended > now);
  });
}

}  // namespace tenure::sim
