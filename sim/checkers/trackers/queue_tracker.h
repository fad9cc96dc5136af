// For schedules with overlap queue_one: tracks which slots came while an earlier one waited for work to end.
//
// A leader handles slots in the order in which they come due. So a commit shows that everything due before the slots
// that it fires has been looked at; but not if late slots before such a slot are given up with it: then its schedule
// was looked at when the first of those had come due. If a slot was looked at while its schedule's work was in the
// leader's hands, it waits. When it fires, all slots that were due by then came meanwhile: one waits, and the others
// are suppressed. A leader that reads again what is due has forgotten what waited. So then nothing is known any more;
// nor after a commit that was not covered, a failover, or a step of the store's clock.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class QueueTracker {
 public:
  // Keeps nothing of schedules that never queue. `work`: sees each record before.
  QueueTracker(const Scenario& scenario, const EventLifecycle& work);

  static constexpr std::uint32_t kReads =
      record_mask<NodeDied, Submitted, Applied, StoreClockStepped, StoreFailedOver>();
  // For all records except submitted commits.
  void see(const Record& record) {
    if (!queueing_.empty()) take(record);
  }
  // A commit is submitted. Returns its fires of slots that came while another waited.
  std::vector<reference::EventId> commits(TrueTime now, Incarnation who, const reference::CommitFires& commit,
                                          const ScheduleTracker& tracker);
  // Slots of the version that are due up to the result came while another slot waited that has fired by `time`, and
  // their leader still has work of the schedule in hand; min() when no such slot is known.
  StoreTime passed(const ScheduleVersion& version, TrueTime time) const;

 private:
  using Key = std::tuple<Incarnation, ScheduleId, std::uint32_t>;  // and the version
  struct Line {
    StoreTime looked = StoreTime::min();  // everything due before was looked at while work was in hand
    StoreTime passed = StoreTime::min();
    TrueTime passed_at;
  };

  void take(const Record& record);
  // Work of a later version does not hold up what this one still owes.
  bool has_in_hand(Incarnation who, const ScheduleVersion& version) const {
    return work_.has_in_hand(who, version.schedule, version.end);
  }

  const EventLifecycle& work_;
  std::set<ScheduleId> queueing_;  // at some time
  std::map<Key, Line> lines_;
};

}  // namespace tenure::sim
