// What becomes of the leader's own work, event by event: it is claimed when an instance asks for it, runs, and is over
// when it has ended and its instance says so to the store. What failed, or runs at another instance, waits to be
// claimed again; what has failed often enough is dead, and waits to be given up. The store's side is stored_events.h,
// and what others deliver is followed by execution_tracker.h.
//
//   1. Each life of a process has its own stage of an event. Work is in hand while it is claimed or running.
//   2. An event stays in the outbox until its work is over, so that another instance does it if the first one dies.
//      Work is over when it has ended, or when the resource said that it was done before. If it runs at another
//      instance then, it is not over, whatever the resource says: it may fail. Work that was refused for its token is
//      not over: the new leader has to do it. Failed work is not over either. When it has failed as often as the
//      scheduler allows under one token, it is dead and may be given up. Each leadership counts from the beginning,
//      even a second one of the same process.
//   3. A schedule is busy, as far as its scheduler could know, from a claim until its instance acknowledges the event
//      or gives it up, which shows that it has heard of the end. If that never comes, until kHeard after the work
//      ended or was refused, or until its instance dies. Work that failed keeps it busy until anybody claims it or
//      acknowledges its event, or the store hears that it is given up; for kHeard at most once a failover may have lost
//      the event. Work that runs at another instance does until it is claimed again, which is soon after it is over
//      there.
//
// Thread rule: one belongs to one run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/per_incarnation.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class EventLifecycle {
 public:
  enum class Stage : std::uint8_t { claimed, running, refused, elsewhere, failed, dead, ended };

  // `rules`: sees each record before. Without a ledger no schedule is busy.
  EventLifecycle(const Scenario& scenario, const EventRules& rules, bool has_ledger);

  void see(TrueTime now, const Record& record);
  void on(TrueTime now, const WorkAsked& asked);
  void on(TrueTime now, const WorkArrived& landed);
  void on(TrueTime now, const WorkEnded& ended);
  void on(TrueTime now, const Submitted& submitted);
  void on(TrueTime now, const Applied& applied);
  void on(TrueTime now, const NodeDied& death);
  void on(TrueTime now, const StoreFailedOver&);  // what it took back may be lost

  // ---- at one life ----

  // nullopt: it is over, or was never claimed.
  std::optional<Stage> stage(Incarnation who, const reference::EventId& event) const;
  // How many pieces of work it has in hand.
  std::int64_t in_hand(Incarnation who) const;
  // Whether it has work in hand of the schedule for a slot before `end`, that it claimed by `time`.
  bool has_in_hand(Incarnation who, ScheduleId schedule, StoreTime end,
                   TrueTime time = TrueTime::max()) const;
  // Calls see(event, why) for each event that the request is to take from the outbox, and that is not to be taken so.
  template <class See>
  void for_each_taken_wrongly(const Submitted& submitted, See&& see) const;

  // ---- of a schedule: rule 3 ----

  // With this record a fire of the schedule is committed, and it is unknown whether work began with it: a failover may
  // have lost an earlier commit, whose work is over by now. Until the commit its slot was in hand, as is known from the
  // next record on.
  void commits_again(ScheduleId schedule, TrueTime now) {
    if (minds_overlap_) again_.emplace_back(schedule, now);
  }
  // The last record has passed: call it before questions that no record comes with.
  void advance();
  // Whether it was busy at `time`, or at any time since.
  bool is_busy_since(ScheduleId schedule, TrueTime time) const {
    const TrueTime last = std::max(last_busy(schedule, TrueTime::max()), committed_again(schedule));
    return last > TrueTime::min() && last >= time;
  }
  // When it was busy last, as far as is known: `now` while it is; min() if it never was.
  TrueTime last_busy(ScheduleId schedule, TrueTime now) const;
  // When a fire of it was committed last of which it is unknown whether work began with it; min() for never.
  TrueTime committed_again(ScheduleId schedule) const {
    return schedule.value < schedules_.size() ? schedules_[schedule.value].again : TrueTime::min();
  }

  // ---- at all lives ----

  // Since when nobody has the event in hand, and who had it last (number 0: nobody that is known).
  struct Idle {
    TrueTime since = TrueTime::min();
    Incarnation who = {};
    Stage stage = Stage::ended;
  };
  // nullopt: somebody has it in hand.
  std::optional<Idle> idle(const reference::EventId& event) const;
  // How many pieces of work wait to be claimed again.
  std::uint64_t waiting() const;

 private:
  // Longer than a leader stays a leader without hearing from outside.
  static constexpr Duration kHeard = Duration::seconds(60);
  // The longest time between two attempts, on the slowest clock (decision 18).
  static constexpr Duration kAsksAgain = Duration::seconds(61);

  // Of an event, at one life.
  struct Piece {
    Stage stage = Stage::ended;
    TrueTime claimed;                  // last
    TrueTime moved;                    // to this stage
    TrueTime until = TrueTime::min();  // it keeps its schedule busy; max(): nobody knows how long
    std::optional<Token> token;        // of its failures
    std::uint32_t failures = 0;

    bool is_in_hand() const { return stage == Stage::claimed || stage == Stage::running; }
    bool waits() const { return until == TrueTime::max() && !is_in_hand(); }
  };
  struct Life {
    reference::EventMap<Piece> pieces;
    std::int64_t in_hand = 0;
    bool is_dead = false;  // it has left what waits

    void move(TrueTime now, Piece& piece, Stage to);
    // `piece`: the event's.
    void erase(const reference::EventId& event, const Piece& piece) {
      if (piece.is_in_hand()) --in_hand;
      pieces.erase(event);
    }
  };
  struct Schedule {
    TrueTime free_since = TrueTime::min();  // by pieces that are gone
    TrueTime again = TrueTime::min();
    std::uint32_t ended = 0;  // pieces that are over, and kept, at most
  };

  void fail(TrueTime now, Life& life, const WorkItem& item);
  // Its instance may not have heard yet.
  void is_over(TrueTime now, Life& life, const reference::EventId& event);
  // Of this event, what waits but does not run elsewhere keeps nothing busy from now on.
  void taken(TrueTime now, const reference::EventId& event);
  void forget_ended(TrueTime now, ScheduleId schedule);
  Schedule& schedule_of(ScheduleId schedule);
  void free(ScheduleId schedule, Piece& piece, TrueTime at);

  const EventRules& rules_;
  std::uint32_t attempts_;
  bool minds_overlap_;                          // any schedule of the scenario
  PerIncarnation<Life> lives_;                  // that claimed work
  reference::EventMap<std::uint32_t> running_;  // pieces, anywhere
  std::vector<Schedule> schedules_;
  std::vector<std::pair<ScheduleId, TrueTime>> again_;  // by the last record
};

// Why an event with work in this stage must not be acknowledged as delivered: "before its work had begun", …
std::string_view why_not_delivered(EventLifecycle::Stage stage);

template <class See>
void EventLifecycle::for_each_taken_wrongly(const Submitted& submitted, See&& see) const {
  const Request& request = submitted.submission.request;
  if (const auto* ack = reference_request<reference::AckEvents>(request))
    for (const reference::DeliveredEvent& had : ack->events)
      if (const auto wrong = stage(submitted.who, had.id); wrong && had.kind == Delivery::Kind::work)
        see(had.id, why_not_delivered(*wrong));
  if (const auto* given_up = reference_request<reference::GiveUpEvents>(request))
    for (const reference::DeadEvent& dead : given_up->events)
      if (stage(submitted.who, dead.id) != Stage::dead)
        see(dead.id, "as dead, although it had not failed often enough");
}

}  // namespace tenure::sim
