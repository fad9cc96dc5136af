// After the heal the cluster has a leader: at the end of the run, and for long enough before.
#include <algorithm>

#include "sim/faults/recovery.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {
namespace {

// A node that runs, and believes that it is the leader, from one moment up to another.
struct Leading {
  Incarnation who;
  sim::TrueTime from;
  sim::TrueTime to;
};

// The parts of a belief in which its life was not paused.
std::vector<Leading> running(const History& history, const std::vector<std::size_t>& stops,
                             const Belief& belief) {
  std::vector<Leading> parts;
  sim::TrueTime from = belief.begin;
  bool runs = true;
  const auto add = [&](sim::TrueTime to) {
    if (runs && from < std::min(to, belief.end))
      parts.push_back({belief.who, from, std::min(to, belief.end)});
  };
  for (const std::size_t place : stops) {
    const Kept& kept = history.facts[place];
    if (const auto* paused = std::get_if<sim::NodePaused>(&kept.fact)) {
      if (paused->who != belief.who) continue;
      add(kept.at);
      runs = false;
    } else if (std::get<sim::NodeResumed>(kept.fact).who == belief.who) {
      from = std::max(belief.begin, kept.at);
      runs = true;
    }
  }
  add(history.end);
  return parts;
}

// What touches is one, in order of time.
std::vector<Leading> leaderships(const History& history) {
  std::vector<std::size_t> stops;
  for (std::size_t place = 0; place < history.facts.size(); ++place)
    if (std::holds_alternative<sim::NodePaused>(history.facts[place].fact) ||
        std::holds_alternative<sim::NodeResumed>(history.facts[place].fact))
      stops.push_back(place);
  std::vector<Leading> pieces;
  for (const Belief& belief : beliefs(history))
    for (const Leading& part : running(history, stops, belief)) pieces.push_back(part);
  std::sort(pieces.begin(), pieces.end(), [](const Leading& a, const Leading& b) { return a.from < b.from; });
  std::vector<Leading> whole;
  for (const Leading& piece : pieces) {
    const auto before = std::find_if(whole.begin(), whole.end(), [&](const Leading& earlier) {
      return earlier.who == piece.who && earlier.to >= piece.from;
    });
    if (before != whole.end())
      before->to = std::max(before->to, piece.to);
    else
      whole.push_back(piece);
  }
  return whole;
}

// For how long some node led from then on.
Duration led_since(const std::vector<Leading>& all, sim::TrueTime from) {
  Duration led;
  for (const Leading& each : all) {  // in the order in which they began
    from = std::max(from, each.from);
    led += std::max(each.to - from, Duration{});
    from = std::max(from, each.to);
  }
  return led;
}

}  // namespace

std::vector<Wrong> leader_elected(const Case& run) {
  const sim::TrueTime end = run.history.end;
  const auto healed = std::find_if(run.history.facts.begin(), run.history.facts.end(), [](const Kept& kept) {
    return std::holds_alternative<sim::Healed>(kept.fact);
  });
  if (healed == run.history.facts.end()) return {};
  const std::vector<Leading> all = leaderships(run.history);
  const Duration tail = end - healed->at;
  const Duration recovery = std::min(tail, sim::recovery(run.scenario));
  if (led_since(all, healed->at) < std::min(Duration::seconds(1), tail / 2))
    return {{end, "nobody led in the tail for as much as a second"}};
  if (led_since(all, healed->at + recovery) < (tail - recovery) / 2)
    return {{end, "nobody led for half of the time after the recovery"}};
  const auto last = std::max_element(all.begin(), all.end(),
                                     [](const Leading& a, const Leading& b) { return a.to < b.to; });
  if (last->to == end || end - last->to <= std::min(Duration::seconds(1), last->to - last->from)) return {};
  return {{end, "nobody leads at the end"}};
}

}  // namespace tenure::judging
