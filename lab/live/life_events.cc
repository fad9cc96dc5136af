#include "lab/live/life_events.h"

#include <algorithm>
#include <variant>

namespace tenure::lab {
namespace {

const reference::Request* request_of(const journal::Asked& asked) {
  return std::get_if<reference::Request>(&asked.submission.request);
}

}  // namespace

std::vector<std::string_view> LifeEvents::see(const journal::Line& line) {
  std::vector<std::string_view> events;
  if (const auto* note = std::get_if<Note>(&line.event)) {
    if (std::holds_alternative<Believes>(*note)) {
      if (!believes_) events.emplace_back("leads");
      believes_ = true;
    } else if (std::holds_alternative<StepsDown>(*note)) {
      believes_ = false;
      events.emplace_back("steps-down");
    } else if (std::holds_alternative<LeadershipChecked>(*note)) {
      events.emplace_back("leadership-checked");
    } else if (std::holds_alternative<ClockAlarm>(*note)) {
      events.emplace_back("alarm");
    }
  } else if (const auto* asked = std::get_if<journal::Asked>(&line.event)) {
    const reference::Request* request = request_of(*asked);
    if (request != nullptr && std::holds_alternative<reference::Acquire>(*request))
      acquires_.insert(asked->id.counter);
  } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
    if (acquires_.erase(answered->id.counter) > 0 && answered->reply_as<reference::Granted>() != nullptr)
      events.emplace_back("granted");
    if (answered->reply_as<reference::Committed>() != nullptr) events.emplace_back("committed");
  } else if (std::holds_alternative<WorkItem>(line.event)) {
    events.emplace_back("acts");
  }
  return events;
}

std::vector<std::string_view> ClusterView::see(sim::TrueTime now, const journal::Line& line) {
  const NodeId node = line.who.node;
  if (const auto* note = std::get_if<Note>(&line.event)) {
    if (const auto* believes = std::get_if<Believes>(note)) {
      const auto [known, fresh] = beliefs_.try_emplace(node, Belief{now, sim::TrueTime::max()});
      if (!fresh && known->second.until < now) known->second.since = now;
      const auto* until = std::get_if<MonoTime>(&believes->until);
      known->second.until = until != nullptr ? now + (*until - line.now.mono) : sim::TrueTime::max();
    } else if (std::holds_alternative<StepsDown>(*note)) {
      beliefs_.erase(node);
    }
  } else if (std::holds_alternative<journal::LifeEnded>(line.event)) {
    beliefs_.erase(node);
  } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
    if (const auto* granted = answered->reply_as<reference::Granted>();
        granted != nullptr && granted->token.epoch >= epoch_) {
      epoch_ = granted->token.epoch;
      holder_ = node;
    }
    if (answered->reply_as<reference::Released>() != nullptr && holder_ == node) holder_.reset();
  }
  return lives_[line.who].see(line);
}

void ClusterView::ended(NodeId node) {
  beliefs_.erase(node);
  if (holder_ == node) holder_.reset();
}

std::optional<NodeId> ClusterView::holder() const { return holder_; }

std::vector<NodeId> ClusterView::believers(sim::TrueTime now) const {
  std::vector<NodeId> found;
  for (const auto& [node, belief] : beliefs_)
    if (belief.until > now) found.push_back(node);
  std::stable_sort(found.begin(), found.end(),
                   [&](NodeId a, NodeId b) { return beliefs_.at(a).since < beliefs_.at(b).since; });
  return found;
}

}  // namespace tenure::lab
