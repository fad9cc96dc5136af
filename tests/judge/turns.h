// Who waits for a worker, and whether in its turn.
//
// What is due waits for one of its leader's workers as long as those have other work for half of their time, or more.
// A commit that the store executes has the workers that its fires want from when it is sent. All wait in the order in
// which they are due: what came due long before something that has been covered since the heal was passed over, and
// waits no more. Long is ten seconds, a `poll_period` and two `request_timeout`. What is committed waits in the order
// of commits: nobody may begin with a fire of a commit ten seconds later and leave an earlier one lying that nobody
// has asked for. A slot of a schedule that queues waits for its own schedule's work: nothing passes it over by then.
//
// Thread rule: a value.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/work.h"

namespace tenure::judging {

// When it was the turn of each of these rows, which were covered in this order: not before the row begins. What is left
// of late slots has its turn with those that are given up just before it.
std::vector<StoreTime> turns_of(const std::vector<const LedgerRow*>& rows);

class Turns {
 public:
  // `schedules` must outlive it.
  Turns(const Case& run, const ScheduleHistory& schedules);

  // Had the leader's workers, whoever led, work for half of their time since `from`?
  bool are_taken_since(sim::TrueTime from) const { return are_taken_between(from, end_); }
  bool are_taken_between(sim::TrueTime from, sim::TrueTime to) const;
  // REQUIRES: what is asked of has not been handled. They say nothing of how busy the workers are.
  // `later`: its turn may come so long after it is due.
  bool was_passed_over(const Version& version, StoreTime slot, Duration later = {}) const;
  bool was_passed_over(const LedgerRow& fired) const;
  // Do commits go on, as full as they have to be while more is due? A full one has half of a batch in rows, or half of
  // a batch or of the workers that were free as it was sent in fires. There was one in the last two turns. And from
  // `from` to the end passed no more than `late` and, for each full one, five answers and the departures of its work.
  bool go_on(sim::TrueTime from, Duration late) const;
  // Have manual runs and failed work had four turns of all workers and ten more, after `from`, without any for fires?
  bool fires_starve(sim::TrueTime from) const;
  // Runs and fires share the workers, so each run waits for its turn: did one of them begin not long before the end?
  bool runs_go_on() const { return run_begun_ >= end_ - long_; }

 private:
  void see_workers(const Case& run);
  void see_full_commits(const Case& run);
  void see_fires(const Case& run, const ScheduleHistory& schedules);

  std::int64_t most_ = INT64_MAX;
  std::int64_t batch_ = INT64_MAX;
  Duration turn_;
  Duration departure_;
  // From then on so many of the leader's workers had work.
  std::map<sim::TrueTime, std::int64_t> workers_;
  // So many waited for the store to execute a commit of their leader, between these times.
  struct Waited {
    sim::TrueTime from;
    sim::TrueTime to;
    std::int64_t workers = 0;
  };
  std::vector<Waited> waited_;
  struct Full {
    sim::TrueTime at;
    std::int64_t fires = 0;
  };
  std::vector<Full> full_;  // commits, since the heal
  sim::TrueTime end_;
  Duration long_ = Duration::seconds(10);
  std::vector<sim::TrueTime> others_;  // other work began since the last turn of fires, after the heal
  std::vector<std::pair<sim::TrueTime, StoreTime>> turns_;  // of what was covered since the heal, and when
  std::vector<InHand> in_hand_;
  std::map<reference::EventId, std::size_t> asked_;  // the last place
  std::optional<sim::TrueTime> latest_begun_;        // the commit
  sim::TrueTime run_begun_ = sim::TrueTime::min();   // the last manual run, or slot of a backfill
};

}  // namespace tenure::judging
