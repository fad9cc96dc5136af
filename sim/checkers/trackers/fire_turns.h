// Tracks how commits go on. When many slots are due at once, each commit has no more than a batch of them, and no more
// than there are free workers: who waits behind others waits for as many commits as those take.
//
// A leader that has this many before it does not forget the last of them. But it goes on: it commits again and again,
// and each turn brings it further.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/kernel/true_time.h"
#include "sim/scenario/latencies.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

class FireTurns {
 public:
  explicit FireTurns(const Scenario& scenario)
      : turn_(longest_turn(scenario)),
        rows_((std::min(number_of(scenario, "batch"), number_of(scenario, "max_running")) + 3) / 4) {}

  // A row was committed.
  void covered(TrueTime now) { covered_.push_back(now); }
  // Whether commits still went on by the end, at `now`, and were as full since `since` as they had to be: the time from
  // `since` on is no longer than `late`, and a turn for each quarter of a commit. Half of the workers may be at work,
  // or it waits for those; and half of the others are for what does not come due by time.
  bool go_on(TrueTime since, Duration late, TrueTime now) const {
    if (covered_.empty() || covered_.back() < now - turn_ * 2) return false;
    const auto rows = covered_.end() - std::upper_bound(covered_.begin(), covered_.end(), since);
    return now <= since + late + turn_ * (rows / rows_);
  }

 private:
  static std::int64_t number_of(const Scenario& scenario, std::string_view parameter) {
    return scenario.scheduling.find(parameter) >= 0 ? scenario.scheduling.number(parameter) : INT32_MAX;
  }

  Duration turn_;      // what is due waits no longer for a commit
  std::int64_t rows_;  // that a commit has at least, while more are due
  std::vector<TrueTime> covered_;
};

}  // namespace tenure::sim
