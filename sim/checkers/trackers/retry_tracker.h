// Work that failed, and that nobody has begun again yet.
//
// The process that asked for it last owes it, until it is asked for again, its event is taken from the outbox, or a
// failover of the store may have lost its event. When a process dies, the next leader finds the event in the outbox.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/checkers/trackers/event_map.h"
#include "sim/world/record.h"

namespace tenure::sim {

class RetryTracker {
 public:
  // Work is due to be begun again `after` its failure.
  explicit RetryTracker(Duration after) : after_(after) {}

  void see(TrueTime now, const Record& record);

  struct Waiting {
    reference::EventId event;
    Incarnation who;
    TrueTime failed;
    std::uint64_t passed_over = 0;  // pieces of work that `who` asked for since this one was due
  };
  std::uint64_t waiting() const { return waiting_; }
  // Calls see(waiting) for each that failed.
  template <class See>
  void for_each(See&& see) const {
    asked_.for_each([&](const reference::EventId& event, const Work& work) {
      if (work.failed)
        see(Waiting{event, work.who, *work.failed, work.before ? asks_.at(work.who) - *work.before : 0});
    });
  }

 private:
  struct Work {
    Incarnation who;  // asked for it last
    std::optional<TrueTime> failed = {};
    std::optional<std::uint64_t> before = {};  // how much `who` had asked for when it was due
  };
  void take(TrueTime now, const WorkAsked& asked);
  void take(TrueTime now, const WorkEnded& ended);
  void erase(const reference::EventId& event);
  void died(Incarnation who);

  Duration after_;
  EventMap<Work> asked_;       // and not over
  std::uint64_t waiting_ = 0;  // of those: that failed
  std::map<Incarnation, std::uint64_t> asks_;
  std::multimap<TrueTime, reference::EventId> due_;  // what fails, until its time has come
};

}  // namespace tenure::sim
