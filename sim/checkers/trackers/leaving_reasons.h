// Whether a leader has a reason to step down, as far as it shows from outside: a fault, a request that the store
// refused or did not execute in time, a clock of its own that was set, or a definition that its program cannot read. It
// leaves as well if it lets its belief run out, which settings and latencies that are not safe may bring about.
//
// A leader leaves when its latest attempt has failed. So a reason is recent. An answer that is lost leaves no record: a
// fault is a reason as long as it lasts, and a while longer.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/unread_tracker.h"
#include "sim/scenario/latencies.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeavingReasons {
 public:
  // `after`: so long a reason lasts.
  LeavingReasons(const Scenario& scenario, Duration after)
      : has_leases_(scenario.protocol->store != nullptr && scenario.protocol->store->issues_tokens),
        renews_in_time_(renews_in_time(scenario)),
        elector_in_time_(least_timeout(scenario) / 2),
        scheduler_in_time_(scenario.scheduling.duration("request_timeout") / 2),
        after_(after) {}

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
      if (leader == leaders_.end()) return;
      const bool elects = submitted->submission.part == Part::elector;
      leader->second.under_way.push_back(
          {submitted->id, now + (elects ? elector_in_time_ : scheduler_in_time_)});
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      const auto leader = leaders_.find(applied->who);
      if (leader != leaders_.end()) take(now, *applied, leader->second);
    }
  }
  void clock_changed(TrueTime now, NodeId node) {
    for (auto& [who, leader] : leaders_)
      if (who.node == node) leader.let_down = now;
  }
  void follow(const LeadershipChange& change) {
    if (change.gained) leaders_[change.who] = {};
  }
  // Whether it has just given up a lease by itself, or has not renewed it, and had no reason.
  bool left_without_one(const LeadershipChange& change) const {
    using enum LeadershipChange::Cause;
    const bool left = change.cause == stepped_down || (change.cause == reached && renews_in_time_);
    return has_leases_ && !change.gained && left && !has_one(change.at, change.who);
  }

 private:
  bool has_one(TrueTime now, Incarnation who) const {
    const Leader& leader = leaders_.at(who);
    if (!faults_.empty() || now < disturbed_ + after_ || now < leader.let_down + after_) return true;
    return unread_.any(who.node) || is_late(now, leader);
  }
  struct UnderWay {
    RequestId id;
    TrueTime late_at;
  };
  struct Leader {
    // The store refused a request, or executed it late, or a clock was set: the last time.
    TrueTime let_down = TrueTime::min();
    std::vector<UnderWay> under_way = {};  // asked for, and not executed so far
  };
  void take(TrueTime now, const Applied& applied, Leader& leader) const {
    const auto asked = std::find_if(leader.under_way.rbegin(), leader.under_way.rend(),
                                    [&](const UnderWay& one) { return one.id == applied.id; });
    if (asked == leader.under_way.rend()) return;
    const bool refused = reference_reply<reference::CommitRefused>(applied.reply) != nullptr ||
                         reference_reply<reference::Refused>(applied.reply) != nullptr;
    if (refused || now > asked->late_at) leader.let_down = now;
    leader.under_way.erase(std::next(asked).base());
  }
  static bool is_late(TrueTime now, const Leader& leader) {
    return std::any_of(leader.under_way.begin(), leader.under_way.end(),
                       [now](const UnderWay& asked) { return now > asked.late_at; });
  }

  // Of any instance; max() if electors have none.
  static Duration least_timeout(const Scenario& scenario) {
    Duration least = Duration::max();
    for (const InstanceSetting& instance : scenario.instances)
      if (instance.election.find("request_timeout") >= 0)
        least = std::min(least, instance.election.duration("request_timeout"));
    return least;
  }

  // Whether a leader that hears of each renewal leads on, and is sure to hear of it. Designs of users promise neither.
  static bool renews_in_time(const Scenario& scenario) {
    const auto is_safe = [&scenario](const Parameters& election) {
      const std::vector<Complaint> complaints = scenario.protocol->validate(election);
      return std::all_of(complaints.begin(), complaints.end(),
                         [](const Complaint& complaint) { return complaint.warning; });
    };
    const bool all_safe =
        std::all_of(scenario.instances.begin(), scenario.instances.end(),
                    [&](const InstanceSetting& instance) { return is_safe(instance.election); }) &&
        std::all_of(scenario.faults.begin(), scenario.faults.end(), [&](const FaultSetting& fault) {
          return !fault.with_election || is_safe(*fault.with_election);
        });
    const Duration timeout = least_timeout(scenario);
    return all_safe && scenario.protocol->design == nullptr && scenario.network.loss_ppm == 0 &&
           timeout < Duration::max() && slowest_answer(scenario, 0) < timeout;
  }

  bool has_leases_;
  bool renews_in_time_;
  // Within that a store that works executes a request of each part.
  Duration elector_in_time_;
  Duration scheduler_in_time_;
  Duration after_;
  std::set<std::uint64_t> faults_;  // that last
  TrueTime disturbed_ = TrueTime::min();
  UnreadTracker unread_;
  std::map<Incarnation, Leader> leaders_;  // the last leadership of each
};

}  // namespace tenure::sim
