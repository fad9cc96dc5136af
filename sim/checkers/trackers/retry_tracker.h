// Work that is to be asked for again, and that nobody has asked for again yet: it failed, or it was running at another
// instance when it was asked for, and is over there.
//
// The process that asked for it last owes it, until it is asked for again, or its event is taken from the outbox.
// When that process dies or the store fails over, the next leader owes it: it finds the event in the outbox. What
// was first asked for after the replica stood still may be lost with its event, and is owed by nobody. Nor does
// anybody owe what is asked for under a token of the branch before: that leader does not know yet, and forgets it
// when it does. Nobody owes what was given up as dead, even if the next leader had it in hand by then.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/delivery_tracker.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/world/record.h"

namespace tenure::sim {

class RetryTracker {
 public:
  static constexpr std::uint32_t kReads = record_mask<WorkAsked, WorkLanded, WorkEnded, Applied, NodeDied,
                                                      StoreReplicaStalled, StoreFailedOver>();

  // Work is due to be asked for again `after` its end. `deliveries` and `rules` see each record before.
  RetryTracker(Duration after, const DeliveryTracker& deliveries, const EventRules& rules)
      : after_(after), deliveries_(deliveries), rules_(rules) {}

  void see(TrueTime now, const Record& record);

  struct Waiting {
    reference::EventId event;
    Incarnation who;
    TrueTime since;                 // its work ended, its process died, or the store failed over
    std::uint64_t passed_over = 0;  // pieces of work that were asked for since this one was due
    std::uint64_t retried = 0;      // of those, the ones that were asked for again
  };
  // How many wait, or run at another instance than the one that owes them.
  std::uint64_t waiting() const { return waiting_; }
  // Calls see(waiting) for each that waits.
  template <class See>
  void for_each(See&& see) const {
    asked_.for_each([&](const reference::EventId& event, const Work& work) {
      if (!work.since) return;
      const Asks before = work.before.value_or(asks_);
      see(Waiting{event, work.who, *work.since, asks_.all - before.all, asks_.again - before.again});
    });
  }

 private:
  struct Asks {
    std::uint64_t all = 0;
    std::uint64_t again = 0;  // of those, for work that had waited for it
  };
  struct Work {
    Incarnation who;                     // asked for it last
    TrueTime first;                      // it was asked for first, and so was committed before
    bool again = false;                  // it had waited before that, and has not begun since
    bool elsewhere = false;              // it ran at another instance then
    std::optional<TrueTime> since = {};  // it waits
    std::optional<Asks> before = {};     // what had been asked for when it was due

    bool waits() const { return elsewhere || since; }
  };
  void take(TrueTime now, const WorkAsked& asked);
  void take(TrueTime now, const WorkLanded& landed);
  void take(const Applied& applied);
  void take(TrueTime now, const WorkEnded& ended);
  template <class Which>
  std::vector<reference::EventId> those(const Which& which) const;
  void wait(TrueTime now, const reference::EventId& event, Work& work);
  void erase(const reference::EventId& event);
  void died(TrueTime now, Incarnation who);
  void failed_over(TrueTime now);

  Duration after_;
  const DeliveryTracker& deliveries_;
  const EventRules& rules_;
  reference::EventMap<Work> asked_;  // and not over
  std::uint64_t waiting_ = 0;        // of those
  Asks asks_;
  std::uint32_t branch_ = 0;  // the store's
  reference::EventsInHand dead_;
  std::optional<TrueTime> stalled_;                  // the store's replica has stood still since
  std::multimap<TrueTime, reference::EventId> due_;  // what waits, until its time has come
};

}  // namespace tenure::sim
