// Collects the measurements of a run (measures.h): one more observer of the history.
//
// Definitions. An incarnation leads while it believes and is neither paused nor dead. Believers overlap when two
// believe, paused or not; their acting overlaps while neither of the two is paused. The safety margin leaves out
// beliefs that were given up before their declared end, or ended by death: messages, not clocks, order what follows
// them. It is not measured across another belief in between.
//
// A slot is skipped if the ledger says that it did not fire, and its work had not begun by then: a slot that a failover
// lost may have been executed, and be recorded as missed afterwards.
//
// A fire is a slot or a manual run whose work began: it counts once, with the first attempt that begins. A retry is not
// late.
//
// Instants are no events. Overlaps with a gap between them that is shorter than a tenth of the earlier one are one
// overlap, and the gap is a part of it: whoever gives up and believes again in one moment has not stopped.
//
// Its memory does not grow with the number of fires.
//
// Thread rule: one collector belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/metrics/leadership_timeline.h"
#include "sim/checkers/metrics/measures.h"
#include "sim/checkers/trackers/leaderless_tracker.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/use_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class MetricsCollector final : public Observer {
 public:
  // REQUIRES: it has a history.
  explicit MetricsCollector(const CheckerSetup& setup);

  void see(TrueTime now, const Record& record) override;
  // Call once, when the run is over; then read.
  void finish(TrueTime now);

  const Metrics& metrics() const { return metrics_; }
  std::vector<LeadershipTimeline> strips() const { return strips_.strips(); }

 private:
  // Time during which at least two do something.
  struct Overlap {
    std::optional<TrueTime> since;
    std::optional<TrueTime> until;  // it may go on
    Duration sum;
    Duration longest;
    std::uint64_t count = 0;         // of those that lasted
    std::optional<Incarnation> who;  // the two with whom it began
    std::optional<Incarnation> next;
    std::optional<WorstMoment> worst;
    void set(TrueTime now, bool overlapping);
    // Whether one that begins now is another one.
    bool is_over(TrueTime now) const;
    void finish(TrueTime now);

   private:
    void settle();
  };
  // What a failover takes back.
  struct Known {
    std::uint64_t skipped_slots = 0;
    std::uint64_t drained_segments = 0;
  };
  // A belief that began, or one that ended, at `at`.
  struct Believer {
    ResourceId resource;
    Incarnation who;
    TrueTime at;
  };

  void take_leadership(TrueTime now, const Record& record);
  void follow_leadership();
  void follow_beliefs();
  void belief_began(const Believer& fresh);
  void belief_ended(const Believer& ended, bool by_the_clock);
  // Slots of the version in [from, to) whose work has not begun.
  std::uint64_t not_begun(const ScheduleVersion& version, StoreTime from, StoreTime to) const;
  void take_deleted(const ScheduleTracker::Change& change);
  void follow_pauses(TrueTime now, const Record& record);
  // Two incarnations believe in one resource's leadership, and neither is paused.
  bool two_act() const;
  void take_applied(const Applied& applied);
  void take_history();
  void take_arrived(TrueTime now, const WorkArrived& landed);
  void take_ending(Ending ending);
  // Unless it is another attempt.
  void take_beginning(TrueTime now, Incarnation who, const WorkItem& item, StoreTime store_now);
  // An event's work has begun for the first time.
  void take_fire(TrueTime now, Incarnation who, const reference::EventId& event, StoreTime due,
                 StoreTime store_now);
  void count_epoch(ResourceId resource, const Token& token);
  // From the end of one belief to the beginning of the next one's.
  void margin(TrueTime end, Incarnation who, TrueTime begin, Incarnation next);
  StoreTime due(const WorkItem& item) const;
  StoreTime due(const ScheduleTracker& tracker, const reference::EventId& event) const;

  const RunHistory& run_;
  const View& view_;
  bool epochs_from_store_;
  bool has_ledger_;
  Metrics metrics_;
  LeaderlessTracker leaderless_;
  UseTracker use_;
  StoreHistory<Known> history_;
  EventSet worked_;  // what began at workers
  LeadershipTimelineTracker strips_;
  Overlap believers_;
  Overlap acting_;
  std::vector<NodeId> paused_;
  Overlap workers_;
  std::vector<std::pair<FaultCause, Duration>> by_cause_;
  std::vector<Believer> believing_;
  std::vector<Believer> ended_;  // for each resource: ended by the clock, and no belief began or ended since
  std::map<ResourceId, Token> newest_;
};

}  // namespace tenure::sim
