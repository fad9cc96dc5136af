// Tracks whether the leader's workers are all busy: what is due then waits for one of them, and is neither lost nor
// late.
//
// The leader is the instance that believed last under the newest token, or asked for work. Work keeps a worker busy
// from the moment it is asked for until it is over.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/store/reference/event_map.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class WorkersTracker {
 public:
  explicit WorkersTracker(const Scenario& scenario)
      : most_(scenario.scheduling.find("max_running") >= 0
                  ? static_cast<std::size_t>(scenario.scheduling.number("max_running"))
                  : SIZE_MAX) {}

  void see(TrueTime now, const Record& record) {
    if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      leads(asked->who, asked->item.token);
      Workers& workers = workers_[asked->who];
      workers.at.add(asked->item.event);
      if (workers.at.size() >= most_) workers.busy_until = TrueTime::max();
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != DeliveryOutcome::begun) over(now, landed->who, landed->item.event);
    } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
      over(now, ended->who, ended->item.event);
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      if (const auto* believes = std::get_if<Believes>(&noted->note)) leads(noted->who, believes->token);
    } else if (const auto* died = std::get_if<NodeDied>(&record)) {
      workers_.erase(died->who);
    }
  }

  // Whether all of the leader's workers were busy at some time since `time`.
  bool busy_since(TrueTime time) const {
    const auto workers = leader_ ? workers_.find(*leader_) : workers_.end();
    return workers != workers_.end() && workers->second.busy_until >= time;
  }

 private:
  struct Workers {
    reference::EventsInHand at;
    TrueTime busy_until = TrueTime::min();  // max(): all are
  };
  void leads(Incarnation who, const std::optional<Token>& token) {
    if (token && newest_ && token->older_than(*newest_)) return;
    if (token) newest_ = token;
    leader_ = who;
  }
  void over(TrueTime now, Incarnation who, const reference::EventId& event) {
    const auto workers = workers_.find(who);
    if (workers == workers_.end() || !workers->second.at.erase(event)) return;
    if (workers->second.at.size() + 1 == most_) workers->second.busy_until = now;
  }

  std::size_t most_;
  std::optional<Incarnation> leader_;
  std::optional<Token> newest_;
  std::map<Incarnation, Workers> workers_;
};

}  // namespace tenure::sim
