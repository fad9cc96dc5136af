// Fires that the ledger records and whose work has not begun yet: what is on its way through the outbox.
//
// Thread rule: one set belongs to one reader.
#pragma once

#include <vector>

#include "core/store/house/requests.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct PendingFire {
  house::EventId event;
  Incarnation who;  // committed it, or asked for the manual run
  TrueTime at;
};

class PendingFires {
 public:
  // Committed. One that had begun already (which no outbox would do) is not pending.
  void add(const PendingFire& fire);
  // A manual run, or a backfill, was accepted. False if one of that number was before: then it is a repetition.
  bool accept(ScheduleId schedule, std::uint64_t run);
  void begun(const house::EventId& event);
  // The store's replica stands still: what begins from now on stays begun, even if the rest is lost.
  void replica_stalled() {
    begun_since_.clear();
    notes_beginnings_ = true;
  }
  // This is a copy of what `lost` was as the replica stalled. What began since then may be committed again, long after,
  // so no beginning is forgotten from now on.
  void went_back(const PendingFires& lost);
  std::size_t size() const;
  // Calls see(fire) for each, by schedule.
  template <class See>
  void for_each(See&& see) const {
    for (const Row& row : rows_) {
      for (const PendingFire& fire : row.pending) see(fire);
    }
  }

 private:
  static constexpr std::size_t kEarly = 256;

  struct Row {
    std::vector<PendingFire> pending;
    std::vector<house::EventId> early;       // begun, but not committed: the last kEarly, or all
    std::vector<std::uint64_t> manual_runs;  // accepted at some time
  };
  Row& row_of(ScheduleId schedule);

  std::vector<Row> rows_;  // by schedule
  bool notes_beginnings_ = false;
  bool forgets_none_ = false;
  std::vector<house::EventId> begun_since_;  // the replica stalled
};

}  // namespace tenure::sim
