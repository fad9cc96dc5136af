// Tracks whether a schedule had work in hand, as far as its scheduler could know: slots may be suppressed because of
// it.
//
// Work is in hand from the moment that an instance asks for it until the instance acknowledges it to the store or
// gives it up, which shows that it has heard of the end. If that never comes, it is in hand until kHeard after it
// ended or was refused, or until its instance dies. Work that failed waits to be begun again, and is in hand as
// long: until anybody asks for it or acknowledges its event, or the store hears that it is given up; for kHeard at
// most once a failover may have lost the event. Work that runs at another instance is in hand until it is asked for
// again, which is soon after it is over there.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <utility>
#include <vector>

#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class BusyTracker {
 public:
  // Keeps nothing if no schedule of the scenario minds overlap.
  explicit BusyTracker(const Scenario& scenario);

  void see(TrueTime now, const Record& record) {
    if (used_) take(now, record);
  }
  // With this record a fire of the schedule is committed, and it is unknown whether work began with it: a failover may
  // have lost an earlier commit, whose work is over by now. Until the commit its slot was in hand, as is known from the
  // next record on.
  void commits_again(ScheduleId schedule, TrueTime now) {
    if (used_) again_.emplace_back(schedule, now);
  }
  // The last record has passed: call it before questions that no record comes with.
  void advance();
  // Whether work of the schedule was in hand at `time`, or at any time since.
  bool since(ScheduleId schedule, TrueTime time) const;
  // When a fire of it was committed last of which it is unknown whether work began with it; min() for never.
  TrueTime committed_again(ScheduleId schedule) const {
    return schedule.value < rows_.size() ? rows_[schedule.value].again : TrueTime::min();
  }
  // When work of the schedule was in hand last, as far as is known: `now` while it is; min() if it never was.
  TrueTime last(ScheduleId schedule, TrueTime now) const;
  // Whether `who` asked by `time` for work of the schedule for a slot before `end` that is still under way.
  bool under_way(Incarnation who, ScheduleId schedule, TrueTime time, StoreTime end) const;

 private:
  // Longer than a leader stays a leader without hearing from outside.
  static constexpr Duration kHeard = Duration::seconds(60);
  // The longest time between two attempts, on the slowest clock (decision 18).
  static constexpr Duration kAsksAgain = Duration::seconds(61);

  struct Piece {
    Incarnation who;
    reference::EventId event;
    TrueTime asked;
    TrueTime until = TrueTime::max();  // in hand until then; max() while it is under way, or waits
    bool waits = false;                // to be begun again
    bool elsewhere = false;            // it ran at another instance when it was asked for last
  };
  struct Track {
    std::vector<Piece> pieces;
    TrueTime free_since = TrueTime::min();  // by what is in no piece any more
    TrueTime again = TrueTime::min();
  };
  void take(TrueTime now, const Record& record);
  void asked(Incarnation who, const reference::EventId& event, TrueTime now);
  void over(Incarnation who, const reference::EventId& event, TrueTime until);
  void waits(Incarnation who, const reference::EventId& event, bool elsewhere);
  void over_elsewhere(const reference::EventId& event, TrueTime now);
  void may_be_lost(TrueTime now);
  void acknowledged(Incarnation who, const reference::EventId& event, TrueTime now);
  void taken(const reference::EventId& event, TrueTime now);
  void died(Incarnation who, TrueTime now);
  Track& row_of(ScheduleId schedule);
  // Drops the pieces for which `which(piece)` says so.
  template <class Which>
  static void free(Track& row, TrueTime now, Which&& which);

  bool used_;
  std::vector<Track> rows_;                             // by schedule
  std::vector<std::pair<ScheduleId, TrueTime>> again_;  // by the last record
};

}  // namespace tenure::sim
