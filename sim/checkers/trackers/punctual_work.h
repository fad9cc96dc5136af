// What a schedule owes that gives up late slots, where no ledger says what it gave up.
//
//   1. A slot for which there was time within its grace: as much quiet time (quiet_times.h) as a turn takes, and all
//      of the scheduler's periods. The grace is over when the store's clock shows its end, be it by a jump; or the time
//      at which the schedule was deleted.
//   2. With `fire_once`, and as long as the version is in force: something is executed for late ones, one of them or a
//      later one.
//
// Thread rule: one belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/checkers/trackers/quiet_times.h"
#include "sim/checkers/trackers/range_set.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/slot_set.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

struct PunctualSlots {
  std::uint64_t examined = 0;
  std::vector<StoreTime> lost;  // by rule 1
  StoreRange unanswered{};      // by rule 2: slots after which nothing was executed; may be empty
  std::uint64_t passed_by = 0;  // neither executed nor owed: late, as far as anybody knows
  bool none_in_time = false;    // the grace is shorter than what rule 1 asks for, so that it owes no slot
};

class PunctualWork {
 public:
  PunctualWork(const Scenario& scenario, const LeadershipTracker& leadership)
      : quiet_(leadership), in_time_(worst_commit_wait(scenario) + durations_of(scenario.scheduling).sum) {}

  void see(TrueTime now, const Record& record) { quiet_.see(now, record); }
  void begun(const reference::EventId& event) {
    if (event.run != 0) return;
    const auto [latest, first] = latest_.try_emplace(event.schedule, event.slot);
    latest->second = std::max(latest->second, event.slot);
  }
  // Of what has been firmly due, what came before a slot that was executed.
  StoreTime left_behind(ScheduleId schedule, StoreTime firmly_due) const {
    const auto latest = latest_.find(schedule);
    return latest != latest_.end() ? std::min(firmly_due, latest->second) : StoreTime::min();
  }

  void finish(TrueTime now) { quiet_.finish(now); }
  // Of the slots of `version` before `end`. `begun`: its schedule's whose work began; `deleted`: when that was, or
  // max(). Call it after finish().
  PunctualSlots slots_of(const ScheduleVersion& version, StoreTime end, StoreTime deleted,
                         const SlotSet& begun, const StoreClockTracker& clock) const {
    PunctualSlots found;
    found.none_in_time = version.misfire.grace < in_time_;
    StoreTime unanswered = end;
    for (auto slot = version.slots.at_or_after(version.begin); slot && *slot < end;
         slot = version.slots.at_or_after(*slot + kStoreResolution)) {
      const bool executed = begun.contains(*slot);
      const StoreTime late = std::min(*slot + version.misfire.grace, deleted);
      const bool owed =
          !executed && quiet_.any_within(clock.first_shown(*slot), clock.first_shown(late), in_time_);
      unanswered = executed ? end : std::min(unanswered, *slot);
      if (executed || owed) ++found.examined;
      if (!executed && !owed) ++found.passed_by;
      if (owed) found.lost.push_back(*slot);
    }
    const bool must_answer = version.misfire.policy == Misfire::Policy::fire_once &&
                             version.end == StoreTime::max() && version.overlap == Overlap::allow;
    const bool answered = left_behind(version.schedule, StoreTime::max()) > unanswered;
    if (!must_answer || unanswered == end || answered || !found.lost.empty()) return found;
    ++found.examined;
    found.unanswered = {unanswered, end};
    return found;
  }

 private:
  QuietTimes quiet_;
  Duration in_time_;                        // so long it may take at rest
  std::map<ScheduleId, StoreTime> latest_;  // of the slots whose work began
};

}  // namespace tenure::sim
