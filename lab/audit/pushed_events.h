// The events that wait for a destination or are sent there, of which journals show for sure that they are not over.
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <map>
#include <set>

#include "lab/audit/history.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {

class PushedEvents {
 public:
  explicit PushedEvents(const JournalHistory& history)
      : clients_may_take_(history.has_client_change("ack-events") || !history.tells_of_clients()) {
    history.for_each_call([&](const JournalCall& call) {
      if (call.in_doubt())
        sim::for_each_taken(call.asked->submission.request,
                            [&](const reference::EventId& event) { perhaps_taken_.insert(event); });
    });
  }
  void add(const reference::EventId& event) {
    if (!clients_may_take_ && !perhaps_taken_.contains(event)) events_[event.schedule].insert(event);
  }
  void take(const JournalCall& call) {
    sim::for_each_taken(call.asked->submission.request,
                        [&](const reference::EventId& event) { events_[event.schedule].erase(event); });
  }
  std::size_t count(ScheduleId schedule) { return events_[schedule].size(); }

 private:
  bool clients_may_take_;
  std::set<reference::EventId> perhaps_taken_;
  std::map<ScheduleId, std::set<reference::EventId>> events_;
};

}  // namespace tenure::lab
