// no-lost-fire: every slot that came due by the end of the fault phase is accounted for when the run ends.
//
// What is owed: the slots of each version in [begin, end), enumerated apart from the core, that were due, jitter
// included, by the store's time at the heal. What accounts for them:
//   with a ledger: its rows. A fired row accounts for its own slot, and for those that it coalesces; a range, for
//     what the version lets it (row_rules.h): late slots missed, slots overlapped by work, or slots paused; a delete,
//     for what it left. Where others deliver the events, the store says what overlaps, by what is there of them
//     (wrong_overlaps). A row says how many slots it speaks for, and must be right. And the leader's own work of each
//     fired slot, manual run, and slot of a backfill, has begun by the end of the run. Until its work is over a fire
//     stays in the outbox, or it would be lost with its instance. Work that failed as often as it may is dead.
//   without one: the work has begun. A paused schedule owes nothing, a deleted one what was due kGrace before, and one
//     that gives up late slots by policy those that it had time for (punctual_work.h).
// What is owed stays owed when the store's clock is set back: a slot that had been due before the heal is lost if
// later ones of its schedule were handled and it was not. If none were, it may yet fire; when it had been due for
// long enough, it is not judged. A slot is lost at kGrace after it came due, by the store's clock as it ran then;
// one whose row a failover took, at kGrace after that; nothing later than the heal. A failover takes back rows,
// edits and runs: what is owed is what the surviving branch says. Begun work is not owed again.
// Reads: edits, ledger rows, work until its acknowledgement, the store's clock, the heal. Not applicable: no fires.
// One opportunity: a slot, a manual run, or a slot of a backfill, that was owed.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/oracle/row_rules.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/punctual_work.h"
#include "sim/checkers/trackers/queue_tracker.h"
#include "sim/checkers/trackers/range_set.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {
using reference::Disposition;
using reference::LedgerRow;
using reference::RowResult;

// The rows of a commit that overlap and should not, or the other way round, of versions whose events others deliver:
// the store counts the schedule's events that are there, those of manual runs and of other versions included
// (docs/executions.md). The leader says of no such slot that it overlaps. `events`: before it.
std::vector<std::pair<LedgerRow, WrongRow>> wrong_overlaps(const Applied& applied,
                                                           const EventRules& event_rules,
                                                           const ExecutionTracker& events) {
  std::vector<std::pair<LedgerRow, WrongRow>> wrong;
  const auto* asked = reference_request<reference::CommitFires>(applied.request);
  const auto* answer = reference_reply<reference::Committed>(applied.reply);
  if (asked == nullptr || answer == nullptr) return wrong;
  std::map<ScheduleId, std::size_t> fired;  // by this commit
  for (std::size_t i = 0; i < asked->rows.size() && i < answer->rows.size(); ++i) {
    const LedgerRow& row = asked->rows[i];
    const EventRules::Rules* rules = event_rules.of(row.schedule, row.version);
    if (rules == nullptr) continue;
    const std::size_t there = events.of_schedule(row.schedule).size() + fired[row.schedule];
    const bool overlaps =
        (rules->overlap == Overlap::skip && there > 0) || (rules->overlap == Overlap::queue_one && there > 1);
    const RowResult result = answer->rows[i];
    if (result == RowResult::overlapped && !overlaps) {
      wrong.emplace_back(
          reference::as_overlapped(row),
          WrongRow{row.slot, fmt::format("although only {} of its schedule's events waited", there)});
    } else if (result == RowResult::covered && row.what == reference::Disposition::overlapped) {
      wrong.emplace_back(row, WrongRow{row.from, "which is the store's to say"});
    } else if (result == RowResult::covered && row.what == reference::Disposition::fired) {
      if (overlaps)
        wrong.emplace_back(
            row, WrongRow{row.slot, fmt::format("although {} of its schedule's events waited", there)});
      ++fired[row.schedule];
    }
  }
  return wrong;
}
class NoLostFire final : public CheckerOf<NoLostFire> {
 public:
  explicit NoLostFire(const CheckerSetup& setup)
      : CheckerOf(setup),
        has_ledger_(keeps_ledger(setup.scenario)),
        queue_(setup.scenario, run_.lifecycle()),
        turn_(worst_commit_wait(setup.scenario)),
        punctual_(setup.scenario, run_.leadership()) {}

  std::uint32_t wants() const override {
    const std::uint32_t with_ledger = CheckerOf::wants() | QueueTracker::kReads | StoreHistory<Known>::kReads;
    return has_ledger_ ? with_ledger & ~record_mask<WorkArrived>() : ~kForPictures;
  }
  void before(TrueTime now, const Record& record) {
    history_.see(record);
    if (has_ledger_)
      queue_.see(record);
    else
      punctual_.see(now, record);
  }
  void on(TrueTime, const WorkArrived& landed) {
    if (landed.landing == DeliveryOutcome::begun) punctual_.begun(landed.item.event);
  }
  void on(TrueTime now, const Applied& applied) {
    for (const auto& [row, wrong] : wrong_overlaps(applied, run_.rules(), run_.executions()))
      blame(now, applied, row, wrong);
    take_edit();
    const auto decided = decided_.find(applied.id);
    const Decided* const by = decided != decided_.end() ? &decided->second : nullptr;
    const Duration ahead = run_.clock().reader_ahead(kBehind) + kReading;
    const StoreTime earliest =
        by != nullptr ? by->at : applied.store_now - run_.clock().reader_behind(kBehind);
    const RowReading reading{earliest - kBehind, applied.store_now + ahead, ahead};
    for (const RunHistory::CoveredRow& row : run_.rows())
      if (row.version != nullptr) covered(now, applied, row.row, *row.version, reading, by);
    if (by != nullptr) decided_.erase(decided);
  }
  void on(TrueTime now, const Submitted& submitted) {
    const auto* commit = reference_request<reference::CommitFires>(submitted.submission.request);
    if (has_ledger_ && commit != nullptr)
      decided_[submitted.id] = {view_.store_now(StoreId{}) - run_.clock().reader_behind(kBehind),
                                queue_.commits(now, submitted.who, *commit, run_.schedules())};
    if (has_ledger_) judge_acknowledgement(now, submitted);
  }
  void on(TrueTime now, const StoreFailedOver&) {
    if (run_.store().lost().size() > failovers_.size()) failovers_.push_back(now);
  }
  void on(TrueTime now, const Healed&) {
    heal_ = Heal{now, view_.store_now(StoreId{}) + kStoreResolution,
                 run_.clock().greatest() + kStoreResolution, run_.clock().firmest()};
  }

  void finish(TrueTime now) override {
    if (!heal_) return;
    punctual_.finish(now);
    // The workers may be free again before the leader has had its next turn.
    busy_at_end_ = has_ledger_ && (run_.workers().busy_since(now - kGrace, now) ||
                                   run_.workers().busy_between(now - turn_ - kGrace, now - turn_));
    goes_on_ = has_ledger_ && run_.turns().go_on(heal_->at, std::max(kGrace, turn_), now);
    run_.schedules().for_each([&](const ScheduleVersion& version) {
      if (has_ledger_)
        judge_ledger(now, version);
      else if (!version.paused)
        judge_work(version);
    });
    const bool runs_go_on = has_ledger_ && run_.outbox().run_begun() >= now - run_.order().apart();
    run_.outbox().for_each_pending([&](const reference::EventId& event, const StoredEvent& fire,
                                       bool passed_over) {
      if (!fire.is_known) return;
      // It waited for its turn, or its schedule's work, and was committed too late to be asked for by now.
      const bool queued =
          run_.schedules().queues(event) && run_.lifecycle().is_busy_since(event.schedule, fire.at - turn_);
      const bool just_now = fire.at > now - turn_ && (goes_on_ || queued);
      // Runs and fires share the workers, so that each run waits for a turn.
      const bool waits = busy_at_end_ || just_now || (event.run != 0 && runs_go_on);
      if (!waits || passed_over) judge_pending(event, fire);
    });
    if (unjudged_ == 0) return;
    leave_unjudged(
        fmt::format("{} slots, {} the first, that had been due, and that nothing has come to since",
                    unjudged_, first_unjudged_));
  }

 private:
  // The fire of a version that was committed last: how far its row went, by when it was decided on, and the commit.
  struct LastFire {
    StoreTime to = StoreTime::min();
    StoreTime decided;
    std::optional<RequestId> commit = {};
  };
  struct Decided {
    StoreTime at;                                 // the least that their leader may have read then
    std::vector<reference::EventId> beside = {};  // of queue_one: came while another waited
    bool fires_beside(const reference::EventId& event) const {
      return std::find(beside.begin(), beside.end(), event) != beside.end();
    }
  };
  struct Heal {
    TrueTime at;
    StoreTime due;         // slots due before this are owed
    StoreTime greatest;    // had been due at some time
    StoreTime firmly_due;  // had been due long enough for somebody to see to them
  };
  struct Known {
    std::vector<RangeSet> coverage;    // with a ledger, by version
    std::vector<LastFire> last_fires;  // likewise
    // Without a ledger, by version:
    std::map<std::uint32_t, StoreTime> owed_until;    // of those that a delete cut short
    std::map<std::uint32_t, StoreTime> passed_until;  // of closed ones: slots before this were left behind
  };

  void take_edit() {
    const ScheduleTracker::Change& change = run_.edit();
    const bool deletes = change.what == ScheduleTracker::Edit::deleted;
    if (!has_ledger_ && (deletes || change.what == ScheduleTracker::Edit::opened)) closed(change.schedule);
    if (deletes) deleted(change.schedule);
    examined(run_.runs_asked_for());
  }

  // Slots that the last version had left behind stay its own, even if the clock had been set back to before them.
  void closed(ScheduleId schedule) {
    const StoreTime passed = punctual_.left_behind(schedule, run_.clock().firmest());
    for (const ScheduleVersion& version : run_.schedules().versions(schedule))
      if (version.end != StoreTime::max()) history_->passed_until.try_emplace(version.index, passed);
  }

  void deleted(ScheduleId schedule) {
    const StoreTime firm = run_.clock().firm();
    for (const ScheduleVersion& version : run_.schedules().versions(schedule)) {
      if (has_ledger_) coverage_of(version).add({version.covered_until, version.end});
      history_->owed_until.try_emplace(version.index, firm);
    }
  }

  void covered(TrueTime now, const Applied& applied, const reference::LedgerRow& row,
               const ScheduleVersion& version, RowReading reading, const Decided* decided) {
    reading.came_beside = decided != nullptr && decided->fires_beside({row.schedule, row.slot, 0});
    LastFire& last_fire = last_fire_of(version);
    if (last_fire.to == row.from) reading.follows_fire = last_fire.decided;
    reading.with_fire = last_fire.commit == applied.id;
    if (row.what == Disposition::fired) last_fire = {row.to, reading.latest, applied.id};
    reading.store_judges = run_.rules().of(row.schedule, row.version) != nullptr;
    if (run_.unread().excuses(applied, row)) return coverage_of(version).add({row.from, row.to});
    if (const auto wrong = wrong_row(applied.who, row, version, reading, run_.lifecycle(), run_.clock()))
      blame(now, applied, row, *wrong);
    const bool single = row.what == Disposition::fired && row.slots == 1;
    coverage_of(version).add(single ? reach_of_fired(row, version) : StoreRange{row.from, row.to});
  }

  void blame(TrueTime now, const Applied& applied, const reference::LedgerRow& row, const WrongRow& wrong) {
    violate(now, {applied.who}, {row.schedule},
            fmt::format("{} was {} by {} at {}, {}", names_.slot(row.schedule, wrong.slot), said_of(row),
                        names_.who(applied.who), time_text(now), wrong.why));
  }
  bool others_deliver(const reference::EventId& event) const { return run_.rules().find(event) != nullptr; }

  void judge_acknowledgement(TrueTime now, const Submitted& submitted) {
    run_.lifecycle().for_each_taken_wrongly(
        submitted, [&](const reference::EventId& event, std::string_view why) {
          if (others_deliver(event)) return;
          const std::string taken = names_.who(submitted.who) + " took " + names_.event(event);
          violate(now, {submitted.who}, {event.schedule},
                  fmt::format("{} from the outbox at {}, {}", taken, time_text(now), why));
        });
  }

  void judge_ledger(TrueTime now, const ScheduleVersion& version) {
    const RangeSet& coverage = coverage_of(version);
    const StoreTime passed = std::min(version.end_of_due(heal_->greatest), version.covered_until);
    StoreRange owed{version.begin, std::max(version.end_of_due(heal_->due), passed)};
    examined(version.slots.count(owed.from, owed.to));
    StoreRange rest{owed.to, version.end_of_due(heal_->firmly_due)};
    while (owed.from < owed.to) {
      StoreRange gap = coverage.first_gap(owed);
      // What waits is the last of its version: nothing later of it has been handled, in the tail either.
      const bool last = gap.to >= owed.to && version.covered_until <= owed.to;
      // What waits behind work is not lost. What came meanwhile was to be given up beside it.
      const bool queued = version.overlap == Overlap::queue_one &&
                          run_.lifecycle().is_busy_since(version.schedule, now - turn_);
      if (last && (queued || busy_at_end_ || (goes_on_ && !version.paused))) {
        gap.to = std::min(gap.to, queued ? version.end_of_due(queue_.passed(version, heal_->at - kGrace))
                                         : waits_from(now, version, gap.from));
        if (gap.to <= gap.from) return;
      }
      lost(version, gap, "is not in the ledger", "are not in the ledger");
      owed.from = gap.to;
    }
    // Pauses are recorded in steps, and what is queued waits for its work.
    if (version.paused || version.overlap == Overlap::queue_one) return;
    while (rest.from < rest.to) {
      const StoreRange gap = coverage.first_gap(rest);
      not_judged(version, gap.from, version.slots.count(gap.from, gap.to));
      rest.from = gap.to;
    }
  }

  TrueTime last_busy(ScheduleId schedule, TrueTime now) const {
    return std::max(run_.lifecycle().last_busy(schedule, now), run_.lifecycle().committed_again(schedule));
  }
  // From when on its slots wait for a worker, in their turn. The record of a pause waits behind fires.
  StoreTime waits_from(TrueTime now, const ScheduleVersion& version, StoreTime from) const {
    const bool queues = version.overlap == Overlap::queue_one;
    if (!version.paused)
      return run_.order().passed_over_until(version,
                                            queues ? last_busy(version.schedule, now) : TrueTime::min());
    return run_.schedules().owes_fires_before(version, from, history_->owed_until) ? from : version.end;
  }
  SlotSet begun_of(ScheduleId schedule) const {
    const SlotSet* known = run_.begun().slots_of(schedule);
    return known != nullptr ? *known : SlotSet{};
  }
  // Of a version that gives up late slots.
  void judge_punctual_work(const ScheduleVersion& version) {
    const StoreTime deleted = run_.schedules().versions(version.schedule).back().end;
    const PunctualSlots found = punctual_.slots_of(version, std::min(version.end, heal_->due), deleted,
                                                   begun_of(version.schedule), run_.clock());
    examined(found.examined);
    if ((found.examined == 0 || found.none_in_time) && found.unanswered == StoreRange{})
      not_judged(version, version.begin, found.passed_by);
    for (const StoreTime slot : found.lost)
      lost(version, {slot, slot + kStoreResolution}, "was never executed, though nothing was in the way", "");
    lost(version, found.unanswered, "never ran, nor anything after it", "never ran, nor anything after them");
  }
  void judge_work(const ScheduleVersion& version) {
    if (version.misfire.policy != Misfire::Policy::fire_all) return judge_punctual_work(version);
    const auto deleted = history_->owed_until.find(version.index);
    const StoreTime end =
        deleted != history_->owed_until.end() ? std::min(version.end, deleted->second) : version.end;
    const auto closed = history_->passed_until.find(version.index);
    const StoreTime passed = closed != history_->passed_until.end()
                                 ? closed->second
                                 : punctual_.left_behind(version.schedule, heal_->firmly_due);
    const StoreRange owed{version.begin, std::max(std::min(end, heal_->due), passed)};
    examined(version.slots.count(owed.from, owed.to));
    const SlotSet begun = begun_of(version.schedule);
    const StoreRange rest{std::max(owed.from, owed.to), std::min(end, heal_->firmly_due)};
    for (const StoreRange& gap : begun.missing(owed, version.slots))
      lost(version, gap, "was never executed", "were never executed");
    for (const StoreRange& gap : begun.missing(rest, version.slots))
      not_judged(version, gap.from, version.slots.count(gap.from, gap.to));
  }

  void lost(const ScheduleVersion& version, StoreRange range, const char* one, const char* many) {
    const std::uint64_t count = version.slots.count(range.from, range.to);
    if (count == 0) return;
    const TrueTime since = first_owed(version, range);
    const std::string first = names_.slot(version.schedule, *version.slots.at_or_after(range.from));
    const std::string text = count == 1 ? fmt::format("{} {}", first, one)
                                        : fmt::format("{} and the slots up to {} ({} in all) {}", first,
                                                      describe(*version.slots.before(range.to)), count, many);
    const TrueTime last = lost_at(owed_since(version, *version.slots.before(range.to)));
    violate({lost_at(since), text, {}, {version.schedule}, since, last});
  }

  // Since when a slot that is lost has wanted handling: it came due, or a failover took back what had been made of it.
  TrueTime owed_since(const ScheduleVersion& version, StoreTime slot) const {
    TrueTime since = due_since(version, slot);
    auto failover = failovers_.begin();
    auto schedules = run_.store().lost().begin();
    for (const auto& [branch, lost] : history_.lost()) {
      const ScheduleVersion* owner = (schedules++)->known.tracker.owner(version.schedule, slot);
      const bool same = owner != nullptr && owner->index == version.index;
      const bool handled =
          same && version.index < lost.coverage.size() && lost.coverage[version.index].contains(slot);
      if (!same || handled) since = std::max(since, *failover);
      ++failover;
    }
    return since;
  }
  // The same of a range with a slot in it: of the one that has wanted it for longest.
  TrueTime first_owed(const ScheduleVersion& version, StoreRange range) const {
    TrueTime first = TrueTime::max();
    for (auto slot = version.slots.at_or_after(range.from); slot && *slot < range.to;
         slot = version.slots.at_or_after(*slot + kStoreResolution)) {
      if (due_since(version, *slot) >= first) break;
      first = std::min(first, owed_since(version, *slot));
    }
    return first;
  }
  TrueTime due_since(const ScheduleVersion& version, StoreTime slot) const {
    return run_.clock().first_shown(has_ledger_ ? version.due(slot) : slot);
  }
  TrueTime lost_at(TrueTime since) const { return std::min(since + kGrace, std::max(since, heal_->at)); }

  void not_judged(const ScheduleVersion& version, StoreTime from, std::uint64_t count) {
    if (count == 0) return;
    if (unjudged_ == 0)
      first_unjudged_ = names_.slot(version.schedule, version.slots.at_or_after(from).value_or(from));
    unjudged_ += count;
  }

  void judge_pending(const reference::EventId& event, const StoredEvent& fire) {
    if (event.run == 0 && run_.schedules().due(event) >= heal_->due) return;
    if (run_.begun().contains(event)) return;  // and its commit was lost, and made again
    const std::string_view what = event.run == 0 ? "was committed" : "was asked for";
    violate({lost_at(fire.at),
             fmt::format("{} {} by {} at {}, but its work never began", names_.event(event), what,
                         names_.who(fire.who), time_text(fire.at)),
             {fire.who},
             {event.schedule},
             fire.at});
  }

  template <class T>
  static T& of(const ScheduleVersion& version, std::vector<T>& all) {
    if (all.size() <= version.index) all.resize(version.index + 1);
    return all[version.index];
  }
  LastFire& last_fire_of(const ScheduleVersion& version) { return of(version, history_->last_fires); }
  RangeSet& coverage_of(const ScheduleVersion& version) { return of(version, history_->coverage); }

  static constexpr Duration kGrace = Duration::seconds(10);  // a slot may be so late, and nothing is wrong
  // A leader's reading is ahead of the store's clock by drift since the last reply, but for steps; and behind by as
  // long as the answer that it rests on was under way: so long it may not know of a step.
  static constexpr Duration kReading = Duration::seconds(1);
  static constexpr Duration kBehind = Duration::seconds(60);

  bool has_ledger_;
  std::optional<Heal> heal_;
  std::uint64_t unjudged_ = 0;
  std::string first_unjudged_;
  std::map<RequestId, Decided> decided_;  // of commits under way
  StoreHistory<Known> history_;
  std::vector<TrueTime> failovers_;  // those that history_ went back at
  QueueTracker queue_;               // likewise
  Duration turn_;                    // what is due waits no longer for a commit
  PunctualWork punctual_;            // without a ledger
  bool busy_at_end_ = false;         // what is due waits for a worker
  bool goes_on_ = false;             // so much was due at the heal that it may still wait for its commit
};

}  // namespace

TENURE_MADE_UNLESS(lacks_fires, no_lost_fire, NoLostFire)

}  // namespace tenure::sim
