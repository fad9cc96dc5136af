// How long leaders could commit what was due, as far as journals tell.
//
//   1. A term counts from its grant to its last one, or to its last commit, by the store's clock.
//   2. Not counted: while a hold stood, while all workers of its life were busy, and from when its life has heard that
//      it is to stop.
//   3. The machine's time is counted, so a jump of the store's clock does not count. Time in which the life did not
//      hear from the store for longer than kLongestSilence does not count either: it may have stood still.
//
// Times of lines are known only between the answers around them. Time that is not counted is taken as long as possible.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lab/audit/evidence.h"
#include "lab/audit/history.h"
#include "sim/checkers/trackers/range_set.h"

namespace tenure::lab {

inline constexpr Duration kLongestSilence = Duration::seconds(10);

// An answer of the store, and the time that was counted by then.
struct CountedTo {
  StoreTime at;
  Duration time;
};
struct LeadingTerm {
  Incarnation who;
  StoreTime from;
  StoreTime to;
  std::vector<CountedTo> counted;  // in the order in which the life heard
};

class LeadingTime {
 public:
  // For the terms under this branch. The history must outlive it.
  LeadingTime(const JournalHistory& history, ResourceId resource, const LeaseFacts& lease,
              std::uint32_t branch);

  const std::vector<LeadingTerm>& terms() const { return terms_; }
  // The same without the time in which the life had work of this schedule in hand for a slot before `end`: for
  // schedules that queue.
  std::vector<LeadingTerm> without_work_of(ScheduleId schedule, StoreTime end) const;
  // The last moment at which some node is known to have led.
  StoreTime last() const { return last_; }

 private:
  // Where the lines of a life lie on the store's clock: by line, the latest time that it had heard of before, and the
  // earliest that what it asked after was executed at.
  struct LineTimes {
    std::vector<StoreTime> before;
    std::vector<StoreTime> after;
  };

  void find_line_times(Incarnation who);
  void find_holds();
  // Adds the times in which its workers were busy, or it with its stop.
  void find_busy(Incarnation who, sim::RangeSet& times) const;
  // `term` has its bounds; time in `but` is not counted.
  void count(LeadingTerm& term, const sim::RangeSet& but) const;

  const JournalHistory& history_;
  ResourceId resource_;
  sim::RangeSet held_;
  std::map<Incarnation, LineTimes> times_;
  std::map<Incarnation, sim::RangeSet> busy_;  // or held
  std::vector<LeadingTerm> terms_;
  StoreTime last_ = StoreTime::min();
};

}  // namespace tenure::lab
