// caught-up: once everything is healed, what is due gets done, and goes on getting done.
//
// By the end of the run each schedule has been carried past every slot that was due by the heal, and past those that
// came due in the tail up to a lateness before its end; and of those that were committed the outbox holds none. This
// looks at how far a schedule has come, not at what was left out on the way: that is no-lost-fire's.
// A slot is due at its own time, or later by its jitter.
// A paused schedule is recorded in steps, and one that queues waits for its work to end, however long that takes: of
// those only the slots due by the heal count, and one that was committed in the last lateness may be on its way.
// While work and its commits take half of the leader's workers' time or more, what is due waits for a worker, and is
// not late however long that takes: but it waits in its turn, so nothing that came due much later is fired before it.
// Nor is what came due together with so much that one commit cannot have it all, as long as full commits go on by the
// end, in that order.
// Work that failed is begun again within kRetryMost and a lateness, and so is work that is over at another instance
// than the one that was told that it runs. If the workers have been as busy since then, it may wait for its turn: for
// two turns of all workers for each piece of work that waits. With each commit of what is due, half of the free
// workers have failed work: who waits behind others waits for so many commits as that many took. Manual runs get
// their turn as well. Work that has failed often enough to be given up waits for no turn, but to be taken from the
// outbox: within ack_delay, if that is longer.
// With a plain schedule table, how far it has come is the latest slot whose work has begun; schedules that give up
// late slots by policy are left out, and so are deleted and paused ones.
// Reads: edits, ledger rows, work that begins, the heal.
// Not applicable: no fires.
// One opportunity: a schedule's version that had something due.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/busy_tracker.h"
#include "sim/checkers/trackers/fire_order.h"
#include "sim/checkers/trackers/fire_turns.h"
#include "sim/checkers/trackers/pending_fires.h"
#include "sim/checkers/trackers/retry_tracker.h"
#include "sim/checkers/trackers/runs_tracker.h"
#include "sim/checkers/trackers/standing_schedules.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/work_trackers.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class CaughtUp final : public Checker {
 public:
  explicit CaughtUp(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        view_(setup.view),
        has_ledger_(keeps_ledger(setup.scenario)),
        busy_(setup.scenario),
        work_(*setup.work),
        order_(hears_within(setup.scenario)),
        turns_(setup.scenario),
        max_running_(static_cast<std::uint64_t>(number_of(setup.scenario, "max_running", 1))),
        retry_most_(on_the_slowest_clock(setup.scenario, kRetryMost)),
        give_up_most_(
            std::max(retry_most_, on_the_slowest_clock(setup.scenario, told_within(setup.scenario)))),
        retries_(retry_most_),
        runs_(setup.scenario),
        turn_of_fires_(longest_turn(setup.scenario)),
        lateness_(std::min(std::max(kLateness, turn_of_fires_), setup.scenario.tail / 2)),
        clock_(setup.view, lateness_) {}

  void see(TrueTime now, const Record& record) override {
    clock_.see(now, record);
    history_.see(record);
    if (has_ledger_) {
      busy_.see(now, record);
      retries_.see(now, record);
      runs_.see(now, record, retries_.waiting());
    }
    if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      history_->pending.asked(asked->item.event);
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == DeliveryOutcome::begun) begun(now, landed->item.event);
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      history_->schedules.see(*applied);
      for_each_covered(*applied, [&](const reference::LedgerRow& row) {
        const ScheduleVersion* version = history_->schedules.tracker.cover(row);
        if (due_at_heal_ && version != nullptr) order_.covered(now, *version, row);
        const bool is_own_work = work_.rules().of(row.schedule, row.version) == nullptr;
        if (row.what != reference::Disposition::fired || !is_own_work) return;
        history_->pending.add({{row.schedule, row.slot, 0}, applied->who, now});
      });
      if (due_at_heal_) turns_.see(now, *applied, work_.workers().at_work_before(*applied));
    } else if (std::holds_alternative<Healed>(record)) {
      healed_ = now;
      due_at_heal_ = view_.store_now(StoreId{});
    }
  }

  void finish(TrueTime now) override {
    if (!due_at_heal_) return;
    clock_.advance(now);
    judge_retries(now);
    judge_runs(now);
    busy_at_end_ = work_.workers().busy_since(now - lateness_, now);
    if (busy_at_end_) examined();
    const StoreTime due = due_by_end();
    history_->schedules.for_each([&](const ScheduleVersion& version) { judge(now, version, due); });
    history_->pending.for_each([&](const PendingFire& fire) {
      // What began before its commit was lost may be committed again, and does not begin again.
      if (work_.begun().contains(fire.event)) return;
      if (history_->schedules.tracker.due(fire.event) > due || queued_until_just_now(fire, now)) return;
      if (busy_at_end_ && !fire.passed_over) return;
      const StoreTime due_at = history_->schedules.tracker.due(fire.event);
      if (fire.at > now - lateness_ && is_in_turn(now, due_at)) return;
      violate([&] {
        return Violation{now,
                         fmt::format("{}, committed by {} at {}, is still on its way",
                                     names_.event(fire.event), names_.who(fire.who), time_text(fire.at)),
                         {fire.who},
                         {fire.event.schedule},
                         std::min(fire.at + lateness_, now),
                         {},
                         true};
      });
    });
  }

 private:
  static constexpr Duration kLateness = Duration::seconds(10);   // beside answers
  static constexpr Duration kRetryMost = Duration::seconds(60);  // by a scheduler's own clock (decision 18)

  static constexpr std::int64_t kMillion = 1'000'000;

  static std::int64_t number_of(const Scenario& scenario, std::string_view parameter,
                                std::int64_t otherwise) {
    return scenario.scheduling.find(parameter) >= 0 ? scenario.scheduling.number(parameter) : otherwise;
  }

  static Duration told_within(const Scenario& scenario) {
    return scenario.scheduling.find("ack_delay") >= 0 ? scenario.scheduling.duration("ack_delay")
                                                      : Duration{};
  }
  static Duration on_the_slowest_clock(const Scenario& scenario, Duration time) {
    return Duration::nanos(
        mul_div_floor(time.ns(), kMillion, kMillion - number_of(scenario, "max_clock_drift_ppm", 0)));
  }

  struct Known {
    StandingSchedules schedules;
    PendingFires pending;  // with a ledger

    void went_back(const Known& lost, std::uint32_t) { schedules.tracker.went_back(lost.schedules.tracker); }
  };
  struct CatchUp {
    StoreTime newest_begun = StoreTime::min();
  };

  void begun(TrueTime now, const reference::EventId& event) {
    if (has_ledger_) {
      history_->pending.begun(now, event);
    } else if (event.run == 0) {
      CatchUp& row = row_of(event.schedule);
      row.newest_begun = std::max(row.newest_begun, event.slot);
    }
  }

  // Half of them are free, or busy_since() says otherwise; and of those, half are for failed work.
  std::uint64_t at_least_a_turn() const { return (max_running_ + 3) / 4; }
  StoreTime due_by_end() const { return std::max(*due_at_heal_, view_.store_now(StoreId{}) - lateness_); }

  void judge_retries(TrueTime now) {
    const std::uint64_t turns = (retries_.waiting() + 2) * 2;
    retries_.for_each([&](const RetryTracker::Waiting& work) {
      const bool dead = work_.deliveries().state(work.who, work.event) == DeliveryTracker::State::dead;
      const Duration in_turn = turn_of_fires_ * static_cast<std::int64_t>(work.retried / at_least_a_turn());
      if (work.since + (dead ? give_up_most_ : retry_most_) > now - lateness_ - in_turn) return;
      const bool starved = work.passed_over / max_running_ > turns;
      if (work_.workers().busy_since(std::max(work.since + retry_most_, healed_), now) && !starved) return;
      violate([&] {
        return Violation{now,
                         fmt::format("{} has waited since {} to be begun again; {} asked for it last",
                                     names_.event(work.event), time_text(work.since), names_.who(work.who)),
                         {work.who},
                         {work.event.schedule},
                         work.since + retry_most_,
                         {},
                         true};
      });
    });
  }

  void judge_runs(TrueTime now) {
    const auto& starved = runs_.starved();
    if (!starved) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} waited from {} on, while {} began {} other pieces of work",
                                   names_.event(starved->event), time_text(starved->since),
                                   names_.who(starved->who), starved->passed),
                       {starved->who},
                       {starved->event.schedule},
                       starved->since};
    });
  }

  void judge(TrueTime now, const ScheduleVersion& version, StoreTime due) {
    if (version.paused || version.overlap == Overlap::queue_one) due = *due_at_heal_;
    if (!has_ledger_ && (version.paused || version.misfire.policy != Misfire::Policy::fire_all)) return;
    const auto last = version.slots.before(version.end_of_due(due + kStoreResolution));
    if (!last || *last < version.begin) return;
    examined();
    const StoreTime reached =
        has_ledger_ ? version.covered_until : row_of(version.schedule).newest_begun + kStoreResolution;
    if (*last < reached) return;
    const auto first = version.slots.at_or_after(std::max(version.begin, reached));
    const bool queues = version.overlap == Overlap::queue_one;
    const TrueTime free = queues ? busy_.last(version.schedule, now) : TrueTime::min();
    const bool in_order = *first >= order_.passed_over_until(version, free);
    if (busy_at_end_ && (version.paused || in_order)) return;
    if (in_order && is_in_turn(now, version.due(*first))) return;
    // Its work may be over for so long before the next slot is committed, and asked for.
    if (queues && busy_.since(version.schedule, now - turn_of_fires_)) return;
    violate([&] {
      const std::string so_far = reached <= version.begin ? std::string{"nothing of it has been handled"}
                                                          : fmt::format("handled up to {} only",
                                                                        describe(reached - kStoreResolution));
      return Violation{now,
                       fmt::format("{} was due and has not been handled: {}",
                                   names_.slot(version.schedule, *last), so_far),
                       {},
                       {version.schedule},
                       std::min(clock_.showing_since(version.due(*first)) + lateness_, now),
                       {},
                       true};
    });
  }

  // So much came due before it that it may still wait for its commit.
  bool is_in_turn(TrueTime now, StoreTime due) const {
    return has_ledger_ && turns_.go_on(std::max(clock_.showing_since(due), healed_), lateness_, now);
  }
  // It was due long ago, waited for its schedule's work, and was committed too late to be delivered by now.
  bool queued_until_just_now(const PendingFire& fire, TrueTime now) const {
    return history_->schedules.tracker.queues(fire.event) && fire.at > now - lateness_;
  }

  CatchUp& row_of(ScheduleId schedule) {
    if (rows_.size() <= schedule.value) rows_.resize(schedule.value + 1);
    return rows_[schedule.value];
  }

  Names names_;
  const View& view_;
  bool has_ledger_;
  BusyTracker busy_;  // with a ledger
  const WorkTrackers& work_;
  FireOrder order_;  // with a ledger
  FireTurns turns_;  // likewise, since the heal
  bool busy_at_end_ = false;
  std::uint64_t max_running_;
  Duration retry_most_;
  Duration give_up_most_;
  RetryTracker retries_;    // with a ledger
  RunsTracker runs_;        // likewise
  Duration turn_of_fires_;  // with manual runs or failed work in half of the workers, at most
  Duration lateness_;
  StoreClockTracker clock_;
  TrueTime healed_;
  std::optional<StoreTime> due_at_heal_;
  StoreHistory<Known> history_;
  std::vector<CatchUp> rows_;  // by schedule
};

}  // namespace

const char* caught_up::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> caught_up::make(const CheckerSetup& setup) {
  return std::make_unique<CaughtUp>(setup);
}

}  // namespace tenure::sim
