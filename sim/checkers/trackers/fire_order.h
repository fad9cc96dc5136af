// Tracks how far fires have come, in the order in which they are due. A leader commits them in that order: a slot that
// was due long before one that has been committed does not wait for anything, it was passed over.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

// How long it takes a leader at most to hear of an edit, and to commit what is due by it.
inline Duration hears_within(const Scenario& scenario) {
  const Duration poll = scheduling_duration(scenario, "poll_period");
  const Duration twice =
      poll > Duration{} ? scheduling_duration(scenario, "request_timeout") * 2 : Duration{};
  return Duration::seconds(10) + poll + twice;
}

class FireOrder {
 public:
  // `apart`: how much later is long after. A leader hears of what is due within that time.
  explicit FireOrder(Duration apart) : apart_(apart) {}

  Duration apart() const { return apart_; }
  // A row was committed. One that coalesces had its turn when its first slot was due, and one that fires what is left
  // of late slots when the first of those was: not before the row begins. Rows that fire nothing have theirs as well.
  // Returns its turn.
  StoreTime covered(TrueTime now, const ScheduleVersion& version, const reference::LedgerRow& row) {
    const bool follows = before_.version == version.index && before_.to == row.from;
    const StoreTime turn = follows ? before_.from : row.slots == 1 && fires(row) ? row.slot : row.from;
    while (!newest_.empty() && newest_.back().turn <= turn) newest_.pop_back();
    newest_.push_back({now, turn});
    before_ = fires(row) ? Before{} : Before{version.index, turn, row.to};
    return turn;
  }
  // The version's slots before this were passed over, if they have not been handled. Until `free` they waited for work
  // of their own schedule (queue_one): what was covered by then passed nothing over.
  StoreTime passed_over_until(const ScheduleVersion& version, TrueTime free = TrueTime::min()) const {
    const auto since = std::find_if(newest_.begin(), newest_.end(),
                                    [free](const Turn& turn) { return turn.covered > free; });
    return since == newest_.end() ? StoreTime::min() : version.end_of_due(since->turn - apart_);
  }

 private:
  static bool fires(const reference::LedgerRow& row) { return row.what == reference::Disposition::fired; }
  struct Before {
    std::uint32_t version = UINT32_MAX;  // its index
    StoreTime from;
    StoreTime to;
  };
  Duration apart_;
  Before before_;  // the last row, if it did not fire
  struct Turn {
    TrueTime covered;
    StoreTime turn;
  };
  std::vector<Turn> newest_;  // those that none covered later had a turn after: earlier and earlier turns
};

}  // namespace tenure::sim
