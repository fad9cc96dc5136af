// Tracks how long a leader was of use: one leads, and has done so for its warm-up.
//
// A leader that stood still has not to warm up again; one that is elected again has.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

class UseTracker {
 public:
  explicit UseTracker(Duration warmup) : warmup_(warmup) {}

  // In order of time.
  void see(std::span<const LeadershipChange> changes) {
    for (const LeadershipChange& change : changes) {
      pass(change.at);
      const auto same = [&change](const Leader& leader) { return leader.who == change.who; };
      if (!change.gained) {
        for (Leader& leader : leaders_)
          if (same(leader)) leader.leads = false;
        if (change.cause != LeadershipChange::Cause::paused) std::erase_if(leaders_, same);
        continue;
      }
      auto leader = std::ranges::find_if(leaders_, same);
      if (leader == leaders_.end()) leader = leaders_.insert(leader, {change.who, change.at + warmup_, true});
      leader->leads = true;
      if (change.cause != LeadershipChange::Cause::resumed) leader->warm_at = change.at + warmup_;
    }
  }
  void finish(TrueTime now) { pass(now); }
  Duration of_use() const { return of_use_; }

 private:
  struct Leader {
    Incarnation who;
    TrueTime warm_at;
    bool leads = true;
  };
  void pass(TrueTime now) {
    TrueTime warm = now;
    for (const Leader& leader : leaders_)
      if (leader.leads) warm = std::min(warm, leader.warm_at);
    of_use_ += now - std::max(warm, seen_to_);
    seen_to_ = now;
  }

  Duration warmup_;
  std::vector<Leader> leaders_;
  TrueTime seen_to_;
  Duration of_use_;
};

}  // namespace tenure::sim
