// Tracks work that failed and has not been begun again yet.
//
// The instance that asked for it last owes it, until it is asked for again, its event is taken from the outbox, or a
// failover of the store may have lost its event. When a process dies, the next leader finds the event in the outbox.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <map>
#include <optional>

#include "sim/world/record.h"

namespace tenure::sim {

class RetryTracker {
 public:
  void see(TrueTime now, const Record& record);

  // Calls see(event, who, at) for each: `who` failed at it then.
  template <class See>
  void for_each(See&& see) const {
    for (const auto& [event, work] : asked_)
      if (work.failed) see(event, work.who, *work.failed);
  }

 private:
  struct Work {
    Incarnation who;  // asked for it last
    std::optional<TrueTime> failed = {};
  };

  std::map<reference::EventId, Work> asked_;  // and not over
};

}  // namespace tenure::sim
