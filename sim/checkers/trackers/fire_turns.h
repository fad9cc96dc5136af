// Tracks how commits go on. When many slots are due at once, each commit has no more than a batch of them, and no more
// than there are free workers: who waits behind others waits for as many commits as those take.
//
// A leader that has this many before it does not forget the last of them. But it goes on: it commits again and again,
// each commit is as full as it can be, and each brings it further. A commit with room left for what waited excuses
// nothing, or a leader that is late with everything would seem to have much before it.
//
// Manual runs and failed work take turns with fires: both begin no more than a few turns of all workers before fires
// have their next one.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "sim/kernel/true_time.h"
#include "sim/scenario/latencies.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

class FireTurns {
 public:
  explicit FireTurns(const Scenario& scenario)
      : longest_(worst_commit_wait(scenario)),
        departure_(scenario.departure.max()),
        batch_(scheduling_number(scenario, "batch", INT32_MAX)),
        workers_(scheduling_number(scenario, "max_running", INT32_MAX)) {}

  // A commit covers so many rows, of which some fire. As it was sent, so many workers were at work.
  void see(TrueTime now, std::int64_t rows, std::int64_t fires, std::int64_t at_work) {
    committed(now, rows, fires, at_work);
    others_.clear();
  }
  // Work began: that of a new fire, or something else.
  void began(TrueTime now, bool is_fire) {
    if (is_fire) return others_.clear();
    others_.push_back(now);
  }
  // Whether fires that have been due since then have had no turn, and all else has had several.
  bool starved(TrueTime since) const {
    const auto after = others_.end() - std::upper_bound(others_.begin(), others_.end(), since);
    return (after - kOnTheirWay) / workers_ >= kTurns;
  }
  // Work was asked for; `again`: it had begun before.
  void asked(TrueTime now, bool again) {
    const Asks before = asks_.empty() ? Asks{} : asks_.back();
    asks_.push_back({now, before.all + 1, before.again + (again ? 1 : 0)});
  }
  struct Asks {
    TrueTime at;
    std::uint64_t all = 0;
    std::uint64_t again = 0;
  };
  // How much since then.
  Asks asked_since(TrueTime since) const {
    if (asks_.empty()) return {};
    const auto after = std::upper_bound(asks_.begin(), asks_.end(), since,
                                        [](TrueTime time, const Asks& each) { return time < each.at; });
    const Asks before = after != asks_.begin() ? *std::prev(after) : Asks{};
    return {since, asks_.back().all - before.all, asks_.back().again - before.again};
  }
  // It is full with half of what it could have: the other half
  // is for what does not come due by time.
  void committed(TrueTime now, std::int64_t rows, std::int64_t fires, std::int64_t at_work) {
    const std::int64_t free = std::max<std::int64_t>(workers_ - at_work, 1);
    const bool full = rows * 2 >= batch_ || (fires > 0 && fires * 2 >= std::min(batch_, free));
    if (!full) return;
    turns_ = turns_ + longest_ - Duration::seconds(1) + departure_ * fires;
    full_.push_back({now, turns_});
  }
  // Whether full commits still went on by the end, at `now`, and the time from `since` on is no longer than `late` and
  // the turns of all of them.
  bool go_on(TrueTime since, Duration late, TrueTime now) const {
    if (full_.empty() || full_.back().at < now - longest_ * 2) return false;
    const auto after = std::upper_bound(full_.begin(), full_.end(), since,
                                        [](TrueTime time, const Full& commit) { return time < commit.at; });
    const Duration before = after != full_.begin() ? std::prev(after)->turns : Duration{};
    return now <= since + late + (turns_ - before);
  }

 private:
  struct Full {
    TrueTime at;
    Duration turns;  // of all up to this one
  };

  static constexpr std::int64_t kTurns = 4;  // of all workers; two would do
  static constexpr std::int64_t kOnTheirWay = 10;

  Duration longest_;    // what is due waits no longer for a commit, if it is the next one's
  Duration departure_;  // of a piece of work, before the next request leaves
  std::int64_t batch_;
  std::int64_t workers_;
  Duration turns_;
  std::vector<Full> full_;
  std::vector<Asks> asks_;        // all up to each
  std::vector<TrueTime> others_;  // when other work began, since fires had their last turn
};

}  // namespace tenure::sim
