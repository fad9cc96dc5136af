// What the records of a run have told so far, worked out once for all who judge it: who leads, which definitions are in
// force, what the store has committed, and what has become of it. It sees each record before its readers do.
//
// Thread rule: one belongs to one run.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/checkers/names.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/event_set.h"
#include "sim/checkers/trackers/execution_tracker.h"
#include "sim/checkers/trackers/fire_order.h"
#include "sim/checkers/trackers/fire_turns.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/sent_events.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/stored_events.h"
#include "sim/checkers/trackers/unread_tracker.h"
#include "sim/checkers/trackers/work_tracker.h"
#include "sim/checkers/trackers/workers_tracker.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class RunHistory final : public Observer {
 public:
  // What it follows: everything; or, of what journals tell, beliefs, definitions, the outbox and what is sent, and not
  // what became of work.
  enum class Scope : std::uint8_t { all, journals };

  RunHistory(const Scenario& scenario, const View& view, NodeNames nodes = NodeNames::from_one,
             Scope scope = Scope::all);

  void see(TrueTime now, const Record& record) override;
  // The run is over. Call it before its readers are told.
  void finish(TrueTime now);

  const Names& names() const { return names_; }
  // Of a schedule's events, as the scenario says; empty: none.
  std::string_view topic(ScheduleId schedule) const { return executions_.topic(schedule); }

  const LeadershipTracker& leadership() const { return leadership_; }
  const BeliefTracker& beliefs() const { return leadership_.beliefs(); }

  // ---- what the store knows: a failover takes it back ----

  struct Known {
    ScheduleTracker tracker;
    EventSet committed;
    StoredEvents events;  // pending: runs only of before the heal

    void went_back(const Known& lost, std::uint32_t) { tracker.went_back(lost.tracker); }
  };
  const StoreHistory<Known>& store() const { return store_; }
  const ScheduleTracker& schedules() const { return store_->tracker; }

  // A row that the store has written.
  struct CoveredRow {
    reference::LedgerRow row;
    const ScheduleVersion* version = nullptr;  // nullptr: unknown
    StoreTime covered_until;                   // of the version, with this row and those before it
  };
  // By the last record.
  const ScheduleTracker::Change& edit() const { return edit_; }
  const std::vector<CoveredRow>& rows() const { return rows_; }
  // How many pending runs.
  std::uint64_t runs_asked_for() const { return runs_asked_for_; }
  const StoredEvents& outbox() const { return store_->events; }
  // What came to the outbox with the last record, and left it.
  using StoredChange = std::pair<reference::EventId, StoredEvent>;
  const std::vector<StoredChange>& came() const { return came_; }
  const std::vector<StoredChange>& left() const { return left_; }
  // Of what others deliver. Unlike the rest these two have not seen the record yet when the readers do, but for what a
  // claim finds to be over.
  const ExecutionTracker& executions() const { return executions_; }
  const SentEvents& sent() const { return sent_; }
  // Shows them the record. Add it behind the readers.
  Observer& after() { return after_; }

  const UnreadTracker& unread() const { return unread_; }
  const StoreClockTracker& clock() const { return clock_; }

  // ---- what was done: a failover takes none of it back ----

  const WorkTracker& work() const { return work_; }
  const WorkersTracker& workers() const { return workers_; }
  // Of the leader's own work.
  const EventLifecycle& lifecycle() const { return lifecycle_; }
  const EventSet& begun() const { return begun_; }
  // With the last record an event's work began for the first time, wherever it is done; not at a worker.
  bool begins() const { return begins_; }
  const EventRules& rules() const { return rules_; }
  // Since the heal.
  const FireOrder& order() const { return order_; }
  const FireTurns& turns() const { return turns_; }

 private:
  class After final : public Observer {
   public:
    explicit After(RunHistory& run) : run_(run) {}
    std::uint32_t wants() const override {
      return ExecutionTracker::kReads | (run_.pushes_ ? kinds_read_by<SentEvents>() : 0);
    }
    void see(TrueTime now, const Record& record) override {
      if (run_.follows_work_) run_.executions_.see(now, record);
      if (run_.pushes_) run_.sent_.see(now, record);
    }

   private:
    RunHistory& run_;
  };

  // Readers ask for no more than that and the longest turn before the end, or the heal.
  static constexpr Duration kLongestGrace = Duration::seconds(10);

  void take(TrueTime now, const Applied& applied);
  void take_rows(TrueTime now, const Applied& applied);
  void take_events(TrueTime now, Incarnation who);
  void take_from_outbox(const reference::EventId& event);
  void begun(TrueTime now, const WorkItem& item);

  Names names_;
  bool has_fires_;
  bool has_ledger_;
  bool follows_work_;
  bool pushes_;
  LeadershipTracker leadership_;
  StoreClockTracker clock_;
  StoreHistory<Known> store_;
  bool was_applied_ = false;  // the last record: it may have brought what follows
  ScheduleTracker::Change edit_;
  std::vector<CoveredRow> rows_;
  std::uint64_t runs_asked_for_ = 0;
  std::uint64_t position_ = 0;  // of the event that was committed last
  std::vector<StoredChange> came_;
  std::vector<StoredChange> left_;
  UnreadTracker unread_;
  WorkTracker work_;
  WorkersTracker workers_;
  EventSet begun_;
  bool begins_ = false;
  EventRules rules_;
  EventLifecycle lifecycle_;
  bool healed_ = false;
  FireOrder order_;
  FireTurns turns_;
  ExecutionTracker executions_;
  SentEvents sent_;
  After after_;
};

}  // namespace tenure::sim
