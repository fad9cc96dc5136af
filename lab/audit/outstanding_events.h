// The events of a schedule that are in the store, as far as journals show it: those that may be, and of these the ones
// that surely are.
//
// Thread rule: values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "lab/audit/history.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {

class OutstandingEvents {
 public:
  explicit OutstandingEvents(const JournalHistory& history)
      : clients_may_take_(history.has_client_change("ack-events") || !history.tells_of_clients()) {
    history.for_each_call([&](const JournalCall& call) {
      if (!call.in_doubt()) return;
      sim::for_each_taken(call.asked->submission.request,
                          [&](const reference::EventId& event) { perhaps_taken_.insert(event); });
      for (const JournalRow& each : rows_of(call))
        if (each.row.what == reference::Disposition::fired) add({each.row.schedule, each.row.slot, 0}, false);
    });
  }
  // `surely`: nobody but a leader can take it, and its commit has an answer.
  void add(const reference::EventId& event, bool surely) {
    events_[event.schedule][event] = surely && !clients_may_take_ && !perhaps_taken_.contains(event);
  }
  // What is given up as dead may be put back.
  void take(const JournalCall& call) {
    const bool dead = call.request<reference::GiveUpEvents>() != nullptr;
    sim::for_each_taken(call.asked->submission.request, [&](const reference::EventId& event) {
      auto& events = events_[event.schedule];
      const auto known = events.find(event);
      if (known == events.end()) return;
      if (dead)
        known->second = false;
      else
        events.erase(known);
    });
  }
  std::size_t most(ScheduleId schedule) { return events_[schedule].size(); }
  std::size_t least(ScheduleId schedule) {
    const auto& events = events_[schedule];
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [](const auto& known) { return known.second; }));
  }

 private:
  bool clients_may_take_;
  std::set<reference::EventId> perhaps_taken_;
  std::map<ScheduleId, std::map<reference::EventId, bool>> events_;  // and whether it surely is there
};

}  // namespace tenure::lab
