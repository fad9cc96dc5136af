#include "sim/checkers/trackers/leadership_tracker.h"

#include <algorithm>

namespace tenure::sim {
namespace {

LeadershipChange::Cause cause_of(BeliefChange::Ending how, Death death) {
  switch (how) {
    case BeliefChange::Ending::reached: return LeadershipChange::Cause::reached;
    case BeliefChange::Ending::stepped_down: return LeadershipChange::Cause::stepped_down;
    case BeliefChange::Ending::died: break;
  }
  return death == Death::stopped ? LeadershipChange::Cause::stopped : LeadershipChange::Cause::killed;
}

}  // namespace

void LeadershipTracker::see(TrueTime now, const Record& record) {
  beliefs_.see(now, record);
  log_.begin(is_one_of(BeliefTracker::kReads, record));
  if (is_act(record) && beliefs_.changes().empty()) return;
  const auto* died = std::get_if<NodeDied>(&record);
  if (!beliefs_.changes().empty()) take_belief_changes(died != nullptr ? died->how : Death::killed);
  if (died != nullptr) {
    std::erase(paused_, died->who.node);  // a new life starts unpaused
  } else if (const auto* paused = std::get_if<NodePaused>(&record)) {
    paused_.push_back(paused->who.node);
    lose(now, paused->who, LeadershipChange::Cause::paused);
  } else if (const auto* resumed = std::get_if<NodeResumed>(&record)) {
    std::erase(paused_, resumed->who.node);
    if (believes_since(resumed->who, now)) gain(now, resumed->who, LeadershipChange::Cause::resumed);
  }
}

void LeadershipTracker::advance(TrueTime now) {
  beliefs_.advance(now);
  log_.begin(false);
  take_belief_changes(Death::killed);
}

bool LeadershipTracker::leads(Incarnation who) const {
  return std::any_of(leaders_.begin(), leaders_.end(),
                     [who](const Leader& leader) { return leader.who == who; });
}

bool LeadershipTracker::paused(NodeId node) const {
  return std::find(paused_.begin(), paused_.end(), node) != paused_.end();
}

void LeadershipTracker::take_belief_changes(Death death) {
  for (const BeliefChange& change : beliefs_.changes()) {
    const Incarnation who = change.belief.who;
    if (change.what == BeliefChange::What::began && !paused(who.node)) {
      gain(change.at, who, LeadershipChange::Cause::believed);
    } else if (change.what == BeliefChange::What::ended && !believes_since(who, change.at)) {
      lose(change.at, who, cause_of(change.how, death));
    }
  }
}

void LeadershipTracker::gain(TrueTime at, Incarnation who, LeadershipChange::Cause cause) {
  if (leads(who)) return;
  leaders_.push_back({who, at});
  log_.add({true, cause, at, who, at});
}

void LeadershipTracker::lose(TrueTime at, Incarnation who, LeadershipChange::Cause cause) {
  const auto it = std::find_if(leaders_.begin(), leaders_.end(),
                               [who](const Leader& leader) { return leader.who == who; });
  if (it == leaders_.end()) return;
  log_.add({false, cause, at, who, it->since});
  leaders_.erase(it);
}

bool LeadershipTracker::believes_since(Incarnation who, TrueTime at) const {
  const auto& all = beliefs_.beliefs();
  return std::any_of(all.begin(), all.end(),
                     [&](const Belief& b) { return b.who == who && b.lasts && b.since <= at; });
}

}  // namespace tenure::sim
