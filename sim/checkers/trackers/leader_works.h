// The work that each incarnation asked for, as its leader sees it: what runs, what waits to be begun again, and
// when the last of each schedule was over.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <map>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/kernel/true_time.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeaderWorks {
 public:
  void asked(Incarnation who, const reference::EventId& event) {
    Works& works = works_[who];
    works.running.add(event);
    works.in_hand.add(event);
  }
  // True if it had failed before.
  bool begun(Incarnation who, const reference::EventId& event) { return works_[who].failed.erase(event); }
  void runs_no_more(Incarnation who, const reference::EventId& event) {
    if (const auto works = works_.find(who); works != works_.end()) works->second.running.erase(event);
  }
  void failed(Incarnation who, const reference::EventId& event) { works_[who].failed.add(event); }
  // It is taken from the outbox, or done.
  void over(TrueTime now, Incarnation who, const reference::EventId& event) {
    const auto works = works_.find(who);
    if (works == works_.end() || !works->second.in_hand.erase(event)) return;
    works->second.failed.erase(event);
    std::vector<TrueTime>& ended = works->second.ended;
    if (ended.size() <= event.schedule.value) ended.resize(event.schedule.value + 1, TrueTime::min());
    ended[event.schedule.value] = now;
  }
  // What waited to be begun again is the outbox's since its last leadership ended.
  void leads_anew(Incarnation who) {
    const auto works = works_.find(who);
    if (works == works_.end()) return;
    works->second.in_hand = works->second.running;
    works->second.failed = {};
  }

  std::size_t running(Incarnation who) const {
    const auto works = works_.find(who);
    return works != works_.end() ? works->second.running.size() : 0;
  }
  bool has(Incarnation who, ScheduleId schedule) const {
    const auto works = works_.find(who);
    return works != works_.end() && works->second.in_hand.knows(schedule);
  }
  // When the last work of the schedule was over; min() for none.
  TrueTime ended_at(Incarnation who, ScheduleId schedule) const {
    const auto works = works_.find(who);
    const bool known = works != works_.end() && schedule.value < works->second.ended.size();
    return known ? works->second.ended[schedule.value] : TrueTime::min();
  }

 private:
  struct Works {
    reference::EventsInHand failed;  // to be begun again
    reference::EventsInHand running;
    reference::EventsInHand in_hand;  // also what waits to be begun again
    std::vector<TrueTime> ended;      // by schedule
  };

  std::map<Incarnation, Works> works_;
};

}  // namespace tenure::sim
