// Of schedules whose overlap is queue_one: which slots came while one before them waited for work to end.
//
// A leader looks at what is due in the order in which it came due, and each commit shows such a look: what was due
// before a slot that it fires has been looked at. A slot that was looked at while its schedule's work was in the
// leader's hand waits. When it fires, all slots that were due by then have come meanwhile: one waits, and the others
// are suppressed. Who reads anew what is due has forgotten what waited; so nothing is known any more then, nor after a
// commit that was not covered, a failover, or a step of the store's clock.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class QueueTracker {
 public:
  // Keeps nothing if no schedule of the scenario queues.
  explicit QueueTracker(const Scenario& scenario);

  // All but commits that are submitted.
  void see(const Record& record);
  // A commit is submitted. The fires in it of slots that came while another waited.
  std::vector<reference::EventId> commits(TrueTime now, Incarnation who, const reference::CommitFires& commit,
                                          const ScheduleTracker& tracker);
  // Slots of the version that are due up to the result came while another waited that has fired by `time`, and their
  // leader still has work of the schedule in hand; min() when that is known of none.
  StoreTime passed(const ScheduleVersion& version, TrueTime time) const;

 private:
  using Key = std::tuple<Incarnation, ScheduleId, std::uint32_t>;  // and the version
  struct Line {
    StoreTime looked = StoreTime::min();  // what was due before has been looked at while work was in hand
    StoreTime passed = StoreTime::min();
    TrueTime passed_at;
  };

  void over(Incarnation who, const reference::EventId& event);
  bool has_in_hand(Incarnation who, const ScheduleVersion& version) const;

  bool used_;
  std::map<std::pair<Incarnation, ScheduleId>, std::set<reference::EventId>> in_hand_;
  std::map<Key, Line> lines_;
};

}  // namespace tenure::sim
