// Fires that the ledger records and whose work has not begun yet: they are on their way through the outbox.
//
// A value that a StoreHistory may take back. Begun work is not taken back, so the reader tracks it separately.
//
// Thread rule: one set belongs to one reader.
#pragma once

#include <set>
#include <utility>

#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct PendingFire {
  reference::EventId event;
  Incarnation who;  // committed it, or asked for the manual run
  TrueTime at;
};

class PendingFires {
 public:
  // The fire was committed. Readers leave out fires whose work had begun before: their commits were lost and made
  // again.
  void add(const PendingFire& fire) { pending_.add(fire.event) = {fire.who, fire.at}; }
  // A manual run or a backfill was accepted. False if one with that number was accepted before: it is a repetition.
  bool accept(ScheduleId schedule, std::uint64_t run) { return runs_.insert({schedule, run}).second; }
  void begun(const reference::EventId& event) { pending_.erase(event); }

  std::size_t size() const { return pending_.size(); }
  // Calls see(fire) for each, by event.
  template <class See>
  void for_each(See&& see) const {
    pending_.for_each([&see](const reference::EventId& event, const Commit& commit) {
      see(PendingFire{event, commit.who, commit.at});
    });
  }

 private:
  struct Commit {
    Incarnation who;
    TrueTime at;
  };
  reference::EventMap<Commit> pending_;
  std::set<std::pair<ScheduleId, std::uint64_t>> runs_;  // accepted at some time
};

}  // namespace tenure::sim
