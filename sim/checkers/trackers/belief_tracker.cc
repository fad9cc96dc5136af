#include "sim/checkers/trackers/belief_tracker.h"

#include <algorithm>

namespace tenure::sim {

void BeliefTracker::take(TrueTime now, const Record& record) {
  if (const auto* died = std::get_if<NodeDied>(&record)) {
    drop(now, died->who, std::nullopt, BeliefChange::Ending::died);
  } else if (const auto* changed = std::get_if<ClockChanged>(&record)) {
    map_again(now, changed->node);
  } else if (const auto* noted = std::get_if<Noted>(&record)) {
    if (const auto* believes = std::get_if<Believes>(&noted->note)) believe(now, noted->who, *believes);
    if (const auto* down = std::get_if<StepsDown>(&noted->note)) {
      drop(now, noted->who, down->resource, BeliefChange::Ending::stepped_down);
    }
  }
}

const Belief* BeliefTracker::lasting(Incarnation who, ResourceId resource) const {
  for (const Belief& belief : beliefs_) {
    if (belief.lasts && belief.who == who && belief.resource == resource) return &belief;
  }
  return nullptr;
}

void BeliefTracker::expire(TrueTime now) {
  if (now < next_end_) return;
  for (Belief& belief : beliefs_) {
    if (!belief.lasts || belief.end > now) continue;
    belief.lasts = false;
    log_.add({BeliefChange::What::ended, BeliefChange::Ending::reached, belief.end, belief});
  }
  const std::span<BeliefChange> ended = log_.fresh();
  std::stable_sort(ended.begin(), ended.end(),
                   [](const BeliefChange& a, const BeliefChange& b) { return a.at < b.at; });
  find_next_end();
}

void BeliefTracker::believe(TrueTime now, Incarnation who, const Believes& note) {
  auto it = std::find_if(beliefs_.begin(), beliefs_.end(),
                         [&](const Belief& b) { return b.who == who && b.resource == note.resource; });
  if (it == beliefs_.end()) {
    beliefs_.push_back({});
    it = beliefs_.end() - 1;
    it->who = who;
    it->resource = note.resource;
  }
  const bool lasted = it->lasts;
  it->token = note.token;
  it->until = note.until;
  it->end = view_.true_time_of(who.node, note.until);
  it->lasts = it->end > now;
  if (!lasted) it->since = now;
  if (it->lasts) {
    const auto what = lasted ? BeliefChange::What::extended : BeliefChange::What::began;
    log_.add({what, BeliefChange::Ending::reached, now, *it});
  } else if (lasted) {
    log_.add({BeliefChange::What::ended, BeliefChange::Ending::reached, now, *it});
  }
  find_next_end();
}

void BeliefTracker::drop(TrueTime now, Incarnation who, std::optional<ResourceId> resource,
                         BeliefChange::Ending how) {
  std::erase_if(beliefs_, [&](const Belief& belief) {
    if (belief.who != who || (resource && belief.resource != *resource)) return false;
    if (belief.lasts) log_.add({BeliefChange::What::ended, how, now, belief});
    return true;
  });
  find_next_end();
}

void BeliefTracker::map_again(TrueTime now, NodeId node) {
  for (Belief& belief : beliefs_) {
    if (belief.who.node != node) continue;
    const bool lasted = belief.lasts;
    belief.end = view_.true_time_of(node, belief.until);
    belief.lasts = belief.end > now;
    if (belief.lasts == lasted) continue;
    if (belief.lasts) belief.since = now;
    const auto what = belief.lasts ? BeliefChange::What::began : BeliefChange::What::ended;
    log_.add({what, BeliefChange::Ending::reached, now, belief});
  }
  find_next_end();
}

void BeliefTracker::find_next_end() {
  next_end_ = TrueTime::max();
  for (const Belief& belief : beliefs_) {
    if (belief.lasts) next_end_ = std::min(next_end_, belief.end);
  }
}

}  // namespace tenure::sim
