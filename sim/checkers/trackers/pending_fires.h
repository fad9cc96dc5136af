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

#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct PendingFire {
  reference::EventId event;
  Incarnation who;  // committed it, or asked for the manual run
  TrueTime at;
  bool is_known = true;  // its version
  // Nobody asked for its work, and fires of much later commits have begun; of a run, runs that were accepted much
  // later.
  bool passed_over = false;
};

class PendingFires {
 public:
  // The fire was committed, or the run accepted. Readers leave out fires whose work had begun before: their commits
  // were lost and made again.
  void add(const PendingFire& fire) { pending_.add(fire.event) = {fire.who, fire.at, fire.is_known}; }
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
      see(PendingFire{event, commit.who, commit.at, commit.is_known, passed_over});
    });
  }

 private:
  struct Commit {
    Incarnation who;
    TrueTime at;
    bool is_known = true;
    bool asked = false;
  };
  static constexpr Duration kApart = Duration::seconds(10);

  reference::EventMap<Commit> pending_;
  TrueTime newest_begun_ = TrueTime::min();      // the commit of a fire whose work began
  TrueTime newest_run_begun_ = TrueTime::min();  // when a run was accepted whose work began
  TrueTime run_begun_ = TrueTime::min();
};

}  // namespace tenure::sim
