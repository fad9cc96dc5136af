// Whether a leader has a reason to step aside, as far as it shows from outside: a fault, a request of its scheduler
// that the store refused or did not execute in time, or a definition that its program cannot read.
//
// A leader leaves when its latest attempt has failed. So a reason is recent. An answer that is lost leaves no record: a
// fault is a reason as long as it lasts, and a while longer.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/unread_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeavingReasons {
 public:
  // `in_time`: within which a store that works executes a request; `after`: so long a reason lasts.
  LeavingReasons(Duration in_time, Duration after) : in_time_(in_time), after_(after) {}

  void see(TrueTime now, const Record& record) {
    unread_.see(record);
    if (const auto* began = std::get_if<FaultBegan>(&record)) {
      if (began->duration > Duration{}) faults_.insert(began->id);
      disturbed_ = now;
    } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
      faults_.erase(ended->id);
      disturbed_ = now;
    } else if (std::holds_alternative<Healed>(record)) {
      faults_.clear();
      disturbed_ = now;
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      const auto leader = leaders_.find(submitted->who);
      if (leader != leaders_.end() && submitted->submission.part == Part::scheduler)
        leader->second.asked[submitted->id] = now;
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      const auto leader = leaders_.find(applied->who);
      if (leader != leaders_.end()) take(now, *applied, leader->second);
    }
  }
  void follow(const LeadershipChange& change) {
    if (change.gained)
      leaders_[change.who] = {};
    else
      left_ = change;
  }
  // It gives its lease back now. Since when it had led, if it has just stepped down and had no reason.
  std::optional<TrueTime> left_without_one(TrueTime now, Incarnation who) const {
    const bool leaves = left_ && left_->who == who && left_->at == now &&
                        left_->cause == LeadershipChange::Cause::stepped_down;
    if (!leaves || has_one(now, who)) return std::nullopt;
    return left_->since;
  }

 private:
  bool has_one(TrueTime now, Incarnation who) const {
    const Leader& leader = leaders_.at(who);
    if (!faults_.empty() || now < disturbed_ + after_ || now < leader.let_down + after_) return true;
    return unread_.any(who.node) || is_late(now, leader);
  }
  struct Leader {
    TrueTime let_down = TrueTime::min();       // the store refused a request, or executed it late, last
    std::map<RequestId, TrueTime> asked = {};  // and not executed so far
  };
  void take(TrueTime now, const Applied& applied, Leader& leader) const {
    const auto asked = leader.asked.find(applied.id);
    if (asked == leader.asked.end()) return;
    const bool refused = reference_reply<reference::CommitRefused>(applied.reply) != nullptr;
    if (refused || now - asked->second > in_time_) leader.let_down = now;
    leader.asked.erase(asked);
  }
  bool is_late(TrueTime now, const Leader& leader) const {
    for (const auto& [id, at] : leader.asked)
      if (now - at > in_time_) return true;
    return false;
  }

  Duration in_time_;
  Duration after_;
  std::set<std::uint64_t> faults_;  // that last
  TrueTime disturbed_ = TrueTime::min();
  UnreadTracker unread_;
  std::optional<LeadershipChange> left_;   // the last that led no more
  std::map<Incarnation, Leader> leaders_;  // the last leadership of each
};

}  // namespace tenure::sim
