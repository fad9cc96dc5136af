// Fires that the ledger records and whose work has not begun yet: they are on their way through the outbox.
//
// A leader begins what it finds in the outbox before it commits anything, and what it commits at once. So a fire that
// nobody has asked for waits behind fires that were committed before it, and behind no later one.
//
// A value that a StoreHistory may take back. Begun work is not taken back, so the reader tracks it separately.
//
// Thread rule: one set belongs to one reader.
#pragma once

#include <algorithm>
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
  // Nobody asked for its work, and fires of much later commits have begun; of a run, runs that were accepted much
  // later.
  bool passed_over = false;
};

class PendingFires {
 public:
  // The fire was committed. Readers leave out fires whose work had begun before: their commits were lost and made
  // again.
  void add(const PendingFire& fire) { pending_.add(fire.event) = {fire.who, fire.at}; }
  // A manual run or a backfill was accepted. False if one with that number was accepted before: it is a repetition.
  bool accept(ScheduleId schedule, std::uint64_t run) { return runs_.insert({schedule, run}).second; }
  void asked(const reference::EventId& event) {
    if (Commit* commit = pending_.find(event)) commit->asked = true;
  }
  // Returns whether it was pending.
  bool begun(TrueTime now, const reference::EventId& event) {
    if (event.run != 0) run_begun_ = now;
    const Commit* commit = pending_.find(event);
    if (commit == nullptr) return false;
    TrueTime& newest = event.run == 0 ? newest_begun_ : newest_run_begun_;
    newest = std::max(newest, commit->at);
    pending_.erase(event);
    return true;
  }

  // When the last manual run or slot of a backfill began; min() for none.
  TrueTime run_begun() const { return run_begun_; }
  std::size_t size() const { return pending_.size(); }
  // Calls see(fire) for each, by event.
  template <class See>
  void for_each(See&& see) const {
    pending_.for_each([&](const reference::EventId& event, const Commit& commit) {
      const TrueTime newest = event.run == 0 ? newest_begun_ : newest_run_begun_;
      const bool passed_over = !commit.asked && commit.at + kApart < newest;
      see(PendingFire{event, commit.who, commit.at, passed_over});
    });
  }

 private:
  struct Commit {
    Incarnation who;
    TrueTime at;
    bool asked = false;
  };
  static constexpr Duration kApart = Duration::seconds(10);

  reference::EventMap<Commit> pending_;
  TrueTime newest_begun_ = TrueTime::min();      // the commit of a fire whose work began
  TrueTime newest_run_begun_ = TrueTime::min();  // when a run was accepted whose work began
  TrueTime run_begun_ = TrueTime::min();
  std::set<std::pair<ScheduleId, std::uint64_t>> runs_;  // accepted at some time
};

}  // namespace tenure::sim
