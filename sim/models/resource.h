// The outside resource of fires: it can refuse a stale token, and begin an event at most once.
//
// It remembers an event for as long as it could be delivered again: until its work is over and the outbox knows that it
// was delivered, and for kMemory of true time after that. So memory does not grow with simulated time.
//
// Thread rule: one resource belongs to one run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/model/env.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

class OutsideResource {
 public:
  static constexpr Duration kMemory = Duration::hours(1);

  OutsideResource(bool fenced, bool honours_event_id)
      : fenced_(fenced), honours_event_id_(honours_event_id) {}

  enum class Answer : std::uint8_t { begin, fenced, running, duplicate };
  Answer land(TrueTime now, const WorkItem& item);
  // Whether it takes what is done under this token; what it takes, it remembers. One that does not check takes all.
  bool admits(ResourceId resource, const std::optional<Token>& token);
  // The event's work is over, finished or not: it does not begin again.
  void ended(TrueTime now, const reference::EventId& event);
  // The event's work failed: it may begin again.
  void failed(const reference::EventId& event);
  // The outbox no longer holds the event.
  void acknowledged(TrueTime now, const reference::EventId& event);

  std::size_t remembered() const { return count_; }

 private:
  struct Begun {
    reference::EventId event;
    TrueTime changed;  // what is known of it, last
    bool running = true;
    bool acknowledged = false;
  };
  std::deque<Begun>& begun_of(ScheduleId schedule);
  Begun* find(const reference::EventId& event);
  void forget_old(TrueTime now, std::deque<Begun>& begun);

  bool fenced_;
  bool honours_event_id_;
  std::map<ResourceId, Token> newest_;
  std::vector<std::deque<Begun>> begun_;  // by schedule; each sorted by event
  std::size_t count_ = 0;
};

}  // namespace tenure::sim
