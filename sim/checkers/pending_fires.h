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
    std::vector<house::EventId> early;       // begun, but not committed: the last kEarly
    std::vector<std::uint64_t> manual_runs;  // accepted at some time
  };
  Row& row_of(ScheduleId schedule);

  std::vector<Row> rows_;  // by schedule
};

}  // namespace tenure::sim
