// caught-up: after the heal, what is owed gets done within one bound, and goes on getting done (docs/adr/0078).
//
// At the end of the run nothing has been owed since the heal, or for longer than its scheduler's progress_bound.
// These are owed:
//   a slot, from when it is due, until a row covers it or its work begins. One of a schedule that queues is owed when
//     the schedule's work is over, one of a paused schedule `paused_step` later;
//   the work of a fire, from its commit until it begins;
//   work that failed, was refused, or ran elsewhere when it was asked for, while its event is in the outbox and nobody
//     has it in hand: from the end of its longest back-off until it is asked for again; if it has failed often enough,
//     until the outbox is told so, which may take `ack_delay`.
// What waits for workers waits in its turn. It does while work takes half of the workers' time, or full commits go on;
// unless what was owed much later has been done before it, or its kind had no turn while others had several.
// Whether something was left out on the way is no-lost-fire's. Where no ledger says so, a schedule has come as far as
// its latest work that began, and only its last version is judged: what an edit took from the one before is lost, and
// not late. One that gives up late slots, or has been paused or deleted, is left out.
// Reads: edits, ledger rows, work, the heal.
// Not applicable: no fires.
// One opportunity: a schedule's version that had something due; and busy workers at the end.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/runs_tracker.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class CaughtUp final : public CheckerOf<CaughtUp> {
 public:
  explicit CaughtUp(const CheckerSetup& setup)
      : CheckerOf(setup),
        has_ledger_(keeps_ledger(setup.scenario)),
        bound_(progress_bound(setup.scenario)),
        paused_step_(setup.scenario.scheduler->paused_step),
        max_running_(static_cast<std::uint64_t>(scheduling_number(setup.scenario, "max_running", 1))),
        retry_most_(on_the_slowest_clock(setup.scenario, kRetryMost)),
        give_up_most_(
            std::max(retry_most_,
                     on_the_slowest_clock(setup.scenario, scheduling_duration(setup.scenario, "ack_delay")))),
        runs_(setup.scenario, run_.rules(), run_.lifecycle()),
        turn_of_fires_(worst_commit_wait(setup.scenario)) {}

  std::uint32_t wants() const override { return kinds_read_by<RunsTracker>() | CheckerOf::wants(); }
  void before(TrueTime now, const Record& record) {
    if (has_ledger_) show_to(runs_, now, record);
  }
  void on(TrueTime, const WorkArrived& landed) {
    const reference::EventId& event = landed.item.event;
    if (has_ledger_ || landed.landing != DeliveryOutcome::begun || event.run != 0) return;
    StoreTime& newest = newest_begun(event.schedule);
    newest = std::max(newest, event.slot);
  }
  void on(TrueTime now, const StoreFailedOver&) { last_failover_ = now; }
  void on(TrueTime now, const Healed&) {
    healed_ = now;
    due_at_heal_ = view_.store_now(StoreId{});
  }

  void finish(TrueTime now) override {
    if (!due_at_heal_) return;
    end_ = now;
    busy_at_end_ = run_.workers().busy_since(now - bound_, now);
    if (busy_at_end_) examined();
    judge_retries();
    judge_runs();
    const StoreTime due = std::max(*due_at_heal_, view_.store_now(StoreId{}) - bound_);
    run_.schedules().for_each([&](const ScheduleVersion& version) {
      if (!version.is_deleted) judge_slots(version, due);
    });
    run_.outbox().for_each_pending(
        [&](const reference::EventId& event, const StoredEvent& fire, bool passed_over) {
          // What began before its commit was lost may be committed again, and does not begin again.
          if (event.run != 0 || run_.begun().contains(event)) return;
          judge({fire.at, !passed_over, {fire.who}, event.schedule}, [&] {
            return fmt::format("{}, committed by {} at {}, is still on its way", names_.event(event),
                               names_.who(fire.who), time_text(fire.at));
          });
        });
  }

 private:
  static constexpr Duration kRetryMost = Duration::seconds(60);  // by a scheduler's own clock (decision 18)
  static constexpr std::int64_t kMillion = 1'000'000;

  static Duration on_the_slowest_clock(const Scenario& scenario, Duration time) {
    return Duration::nanos(
        mul_div_floor(time.ns(), kMillion, kMillion - scheduling_number(scenario, "max_clock_drift_ppm", 0)));
  }

  struct Owed {
    TrueTime since;
    bool in_turn = false;  // if it waits for workers
    std::vector<Incarnation> who;
    ScheduleId schedule;
  };

  // The rule.
  template <class What>
  void judge(Owed owed, What&& what) {
    if (owed.since > std::max(healed_, end_ - bound_)) return;
    if (owed.in_turn && are_workers_wanted(owed.since)) return;
    violate(
        {end_, what(), std::move(owed.who), {owed.schedule}, std::min(owed.since + bound_, end_), {}, true});
  }
  bool are_workers_wanted(TrueTime since) const {
    since = std::max(since, healed_);
    return busy_at_end_ || run_.workers().busy_since(since, end_) ||
           (has_ledger_ && run_.turns().go_on(since, bound_, end_));
  }

  void judge_slots(const ScheduleVersion& version, StoreTime due) {
    if (version.paused) due = std::max(*due_at_heal_, due - paused_step_);
    const bool has_been_edited = version.end != StoreTime::max();
    if (!has_ledger_ &&
        (has_been_edited || version.paused || version.misfire.policy != Misfire::Policy::fire_all))
      return;
    const auto last = version.slots.before(version.end_of_due(due + kStoreResolution));
    if (!last || *last < version.begin) return;
    examined();
    const StoreTime reached =
        has_ledger_ ? version.covered_until : newest_begun(version.schedule) + kStoreResolution;
    if (*last < reached) return;
    const auto first = version.slots.at_or_after(std::max(version.begin, reached));
    const TrueTime free = version.overlap == Overlap::queue_one
                              ? run_.lifecycle().last_busy(version.schedule, end_)
                              : TrueTime::min();
    const TrueTime since = std::max(run_.clock().showing_since(version.due(*first)), free);
    const StoreTime turn = version.paused ? *first + paused_step_ : *first;
    const bool in_turn = has_ledger_ && turn >= run_.order().passed_over_until(version, free) &&
                         !run_.turns().starved(std::max(since, healed_));
    judge({since, in_turn, {}, version.schedule}, [&] {
      const std::string so_far = reached <= version.begin ? std::string{"nothing of it has been handled"}
                                                          : fmt::format("handled up to {} only",
                                                                        describe(reached - kStoreResolution));
      return fmt::format("{} was due and has not been handled: {}", names_.slot(version.schedule, *last),
                         so_far);
    });
  }

  // With each commit of what is due, half of the free workers have failed work, and half of the workers are free, or
  // busy_since() says otherwise: one that waits behind others waits for so many commits as those take.
  void judge_retries() {
    if (!has_ledger_) return;
    std::vector<std::pair<reference::EventId, EventLifecycle::Idle>> idle;
    run_.outbox().for_each([&](const reference::EventId& event, const StoredEvent& stored) {
      if (stored.is_pending || run_.rules().find(event) != nullptr || !run_.begun().contains(event)) return;
      std::optional<EventLifecycle::Idle> each = run_.lifecycle().idle(event);
      if (!each || each->stage == EventLifecycle::Stage::ended) return;
      each->since = std::max(each->since, last_failover_);
      idle.emplace_back(event, *each);
    });
    const std::uint64_t a_turn = (max_running_ + 3) / 4;
    const std::uint64_t turns = (idle.size() + 2) * 2;
    for (const auto& [event, work] : idle) {
      const bool is_dead = work.stage == EventLifecycle::Stage::dead;
      const TrueTime due = work.since + (is_dead ? give_up_most_ : retry_most_);
      const FireTurns::Asks asks = run_.turns().asked_since(due);
      const Duration behind_others = turn_of_fires_ * static_cast<std::int64_t>(asks.again / a_turn);
      const bool starved = asks.all / max_running_ > turns;
      const std::string waits = fmt::format("{} has waited since {} to be begun again; {} asked for it last",
                                            names_.event(event), time_text(work.since), names_.who(work.who));
      judge({due + behind_others, !starved, {work.who}, event.schedule}, [&] { return waits; });
    }
  }

  // Runs that clients ask for are no-lost-fire's, but for their turn, which is watched all the time.
  void judge_runs() {
    const auto& starved = runs_.starved();
    if (!starved) return;
    violate({end_,
             fmt::format("{} waited from {} on, while {} began {} other pieces of work",
                         names_.event(starved->event), time_text(starved->since), names_.who(starved->who),
                         starved->passed),
             {starved->who},
             {starved->event.schedule},
             starved->since});
  }

  StoreTime& newest_begun(ScheduleId schedule) {
    if (newest_begun_.size() <= schedule.value) newest_begun_.resize(schedule.value + 1, StoreTime::min());
    return newest_begun_[schedule.value];
  }

  bool has_ledger_;
  Duration bound_;
  Duration paused_step_;
  std::uint64_t max_running_;
  Duration retry_most_;
  Duration give_up_most_;
  RunsTracker runs_;                     // with a ledger
  Duration turn_of_fires_;               // with manual runs or failed work in half of the workers, at most
  std::vector<StoreTime> newest_begun_;  // without a ledger: slots, by schedule
  TrueTime healed_;
  std::optional<StoreTime> due_at_heal_;
  TrueTime last_failover_;
  TrueTime end_;
  bool busy_at_end_ = false;
};

}  // namespace

TENURE_MADE_UNLESS(lacks_fires, caught_up, CaughtUp)

}  // namespace tenure::sim
