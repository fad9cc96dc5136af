// no-stuck-leader: no leader stays while what is due does not get done, or leaves for nothing (docs/adr/0016).
//
// A slot is due, and no row covers it; since it came due, or since its leader began to lead or last covered a row, so
// much time has passed that the leader should have let another try. What holds firing up by design does not count: a
// hold that its leader may not lift yet, one that stands still, as much work as may run (but workers take turns), and a
// queueing schedule's own work. Nothing excuses one that tries in vain, or that covers what came due much later than
// the slot; unless the slot's schedule minds overlap. Whatever is due, a leader looks through the whole outbox again
// and again. What it finds there, and what came back in vain, it begins, if a worker is free. What is paused or deleted
// is nobody's to fire. A definition that its program cannot read is a reason to leave once for each incarnation and
// version (docs/adr/0017). A leader that has heard that it is to stop waits for its work. Any other that gives its
// lease back has a reason.
// Reads: notes, pauses, stops, deaths, clock changes, edits, rows, holds, requests, work, programs, clocks, faults.
// Not applicable: no fires, no ledger, or a scheduler whose leaders stay whatever happens.
// One opportunity: a leader that covers rows, or that is stuck.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/leader_bounds.h"
#include "sim/checkers/trackers/leader_duties.h"
#include "sim/checkers/trackers/leader_works.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/leaving_reasons.h"
#include "sim/checkers/trackers/quarantine.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/checkers/trackers/standing_schedules.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/unread_tracker.h"

namespace tenure::sim {
namespace {

class NoStuckLeader final : public Checker {
 public:
  explicit NoStuckLeader(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        view_(setup.view),
        bounds_(setup.scenario),
        tracker_(setup.view),
        clock_(setup.view, bounds_.stuck),
        works_(retries_within(setup.scenario), setup.scenario.scheduling.number("work_attempts")),
        reasons_(setup.scenario, bounds_.stuck) {}

  void see(TrueTime now, const Record& record) override {
    clock_.see(now, record);
    if (const auto* clock = std::get_if<ClockChanged>(&record)) {
      tracker_.advance(now);  // what is over by now is not by it
      follow();
      reasons_.clock_changed(now, clock->node);
    }
    if (!tracker_.passes_over(now, record)) {
      tracker_.see(now, record);
      follow();
    }
    look(now);  // what was so until now
    if (!is_act(record)) {
      go_back(now, record);
      unread_.see(record);
    }
    see_clock(now, record);
    reasons_.see(now, record);
    if (const auto* applied = std::get_if<Applied>(&record)) {
      take(now, *applied);
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      take(now, *submitted);
    } else if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      works_.asked(asked->who, asked->item.event);
    } else if (const auto* heard = std::get_if<StopHeard>(&record)) {
      stops(now, heard->who);
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == DeliveryOutcome::begun) return begins(now, landed->who, landed->item.event);
      runs_no_more(now, landed->who, landed->item.event);
      if (landed->landing == DeliveryOutcome::duplicate)
        works_.over(now, landed->who, landed->item.event);
      else
        works_.came_back(now, landed->who, landed->item);
    } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
      runs_no_more(now, ended->who, ended->item.event);
      if (ended->ending == Ending::failed)
        works_.failed(now, ended->who, ended->item);
      else
        works_.over(now, ended->who, ended->item.event);
    }
  }

  void finish(TrueTime now) override {
    clock_.advance(now);
    tracker_.advance(now);
    follow();
    look(now);
    for (Leader& leader : leaders_) judge_end(now, leader);
  }

 private:
  struct Known {
    StandingSchedules schedules;
    std::optional<TrueTime> held;  // since then
    void went_back(const Known& lost, std::uint32_t) { schedules.tracker.went_back(lost.schedules.tracker); }
  };
  using Leader = LeaderDuties;
  struct Slot {
    ScheduleId schedule;
    StoreTime at;
    TrueTime since;  // it has been due, and nothing else was done, nor waited for
  };
  using VersionKey = std::pair<ScheduleId, std::uint32_t>;

  void follow() {
    for (const LeadershipChange& change : tracker_.changes()) {
      if (Leader* leader = find_leader(change.who)) {
        judge(change.at, *leader);
        judge_end(change.at, *leader);
      }
      std::erase_if(leaders_, [&](const Leader& leader) { return leader.who == change.who; });
      judge_leaving(change);
      reasons_.follow(change);
      if (!change.gained) continue;
      leaders_.emplace_back(change.who, change.at, bounds_.stuck);
      works_.leads_anew(change.who);
    }
    for (const BeliefChange& change : tracker_.beliefs().changes())
      if (change.what == BeliefChange::What::ended &&
          change.at - change.belief.since >= bounds_.stall - LeaderBounds::kSlack)
        quarantine_.left(change.belief.who, history_->schedules.tracker, unread_);
  }
  // What a failover takes back is owed from then on.
  void go_back(TrueTime now, const Record& record) {
    const auto* failed_over = std::get_if<StoreFailedOver>(&record);
    if (failed_over == nullptr) return history_.see(record);
    works_.failed_over(failed_over->branch);
    const Known before = *history_.operator->();
    history_.see(record);
    history_->schedules.for_each([&](const ScheduleVersion& version) {
      const ScheduleVersion* then = before.schedules.tracker.find(version.schedule, version.number);
      const bool owed = then != nullptr && then->index == version.index && before.schedules.stands(*then) &&
                        then->covered_until == version.covered_until && then->end == version.end;
      if (!owed) owed_again_[{version.schedule, version.number}] = now;
    });
    if (before.held) begin_again_all(now);
  }
  void see_clock(TrueTime now, const Record& record) {
    if (std::holds_alternative<StoreClockStepped>(record) || std::holds_alternative<StoreFailedOver>(record))
      stepped_ = now;
    if (stepped_ == now || std::holds_alternative<DefinitionRead>(record)) look_for_first_due();
    const auto* changed = std::get_if<ClockChanged>(&record);
    for (Leader& leader : leaders_)
      if (changed != nullptr && changed->node == leader.who.node) leader.judges = now;
  }

  void take(TrueTime now, const Applied& applied) {
    if (history_->schedules.see(applied).what != ScheduleTracker::Edit::none) look_for_first_due();
    Leader* leader = find_leader(applied.who);
    std::optional<StoreTime> covered;  // the turn of the latest row
    for_each_to_fire(applied, [&](const reference::LedgerRow& row) { fired_[row.schedule] = now; });
    for_each_covered(applied, [&](const reference::LedgerRow& row) {
      const ScheduleVersion* version = history_->schedules.tracker.cover(row);
      if (leader == nullptr) return;
      const StoreTime turn = version != nullptr ? leader->order.covered(now, *version, row) : row.from;
      covered = std::max(covered.value_or(turn), turn);
    });
    if (covered) {
      judge_order(now, *leader, *covered);
      leader->since = leader->covered = now;
      leader->others.clear();
      examined();
    }
    // Where an edit came between, no row is covered; but the store does its part.
    if (leader != nullptr && reference_reply<reference::Committed>(applied.reply) != nullptr)
      end_of_tries(now, *leader, leader->commits);
    const auto* page = reference_reply<reference::Outbox>(applied.reply);
    if (leader != nullptr && page != nullptr) {
      judge_sweeps(now, *leader);
      const auto* read = reference_request<reference::ReadOutbox>(applied.request);
      const std::uint64_t after = read != nullptr ? read->after : 0;
      leader->reads(now, after, *page);
      works_.shown(now, applied.who, after, *page);
      examined();
    }
    for_each_taken(applied, [&](const reference::EventId& event) { works_.taken(applied.who, event); });
    const auto* refused = reference_reply<reference::CommitRefused>(applied.reply);
    // What is held is not to be committed.
    if (leader != nullptr && refused != nullptr && refused->held) end_of_tries(now, *leader, leader->commits);
    if (const auto* set = reference_reply<reference::HoldSet>(applied.reply)) {
      if (leader != nullptr) end_of_tries(now, *leader, leader->holds);
      look_for_first_due();  // what was edited in a false future is drawn back
      if (history_->held && !set->hold) begin_again_all(now);
      history_->held = set->hold ? std::optional(history_->held.value_or(now)) : std::nullopt;
    }
  }

  void take(TrueTime now, const Submitted& submitted) {
    for_each_taken(submitted.submission.request,
                   [&](const reference::EventId& event) { works_.over(now, submitted.who, event); });
    const Request& request = submitted.submission.request;
    Leader* leader = find_leader(submitted.who);
    if (leader == nullptr) return;
    see_workers(now, *leader);
    leader->asks(now, request, bounds_.timeout);
    if (reference_request<reference::CommitFires>(request) != nullptr) {
      if (stopping_.erase(submitted.who) > 0) leader->tries_nothing(now);  // so far; it goes on
      leader->commits.tried(now, bounds_.stall);
    }
    if (!is_about_a_hold(request)) return;
    // After so long, none was wanted in between.
    if (now > leader->holds.latest() + bounds_.again) end_of_tries(now, *leader, leader->holds);
    leader->holds.tried(now, bounds_.stall);
  }
  void end_of_tries(TrueTime now, const Leader& leader, Tries& tries) {
    judge_tries(now, leader, tries);
    tries.succeeded();
  }
  void stops(TrueTime now, Incarnation who) {
    Leader* leader = find_leader(who);
    if (leader != nullptr) judge_end(now, *leader);
    stopping_.insert(who);
    if (leader != nullptr) leader->tries_nothing(now);
  }
  void runs_no_more(TrueTime now, Incarnation who, const reference::EventId& event) {
    if (Leader* leader = find_leader(who)) {
      if (waits_for_work(*leader)) leader->begin_again(now);
      if (is_stopping(*leader)) leader->outbox.begin_again(now);
      see_workers(now, *leader);
      leader->results.push_back(now);
    }
    works_.runs_no_more(who, event);
  }
  void begins(TrueTime now, Incarnation who, const reference::EventId& event) {
    const bool again = works_.begun(who, event);
    Leader* leader = find_leader(who);
    if (leader == nullptr) return;
    if (waits_for_work(*leader)) leader->begin_again(now);  // by design until now
    see_workers(now, *leader);
    leader->begins(now, !again && event.run == 0, bounds_.others);
  }
  void see_workers(TrueTime now, Leader& leader) const {
    leader.works_with(now, static_cast<std::int64_t>(works_.running(leader.who)), bounds_.workers,
                      works_.waiting(leader.who), bounds_.way);
  }
  Leader* find_leader(Incarnation who) {
    for (Leader& leader : leaders_)
      if (leader.who == who) return &leader;
    return nullptr;
  }
  void begin_again_all(TrueTime now) {
    for (Leader& leader : leaders_) {
      leader.begin_again(now);
      leader.others.clear();  // nothing else could be begun
    }
  }
  // All workers are at work, and have not been given to others again and again while something was due.
  bool is_full(const Leader& leader) const { return are_at_work(leader) && !gives_workers_away(leader); }
  bool are_at_work(const Leader& leader) const {
    return static_cast<std::int64_t>(works_.running(leader.who)) >= bounds_.workers;
  }
  bool gives_workers_away(const Leader& leader) const {
    if (leader.others.size() < bounds_.others) return false;
    const auto slot = first_owed(leader, leader.covered);
    return slot && slot->since < leader.others.front();
  }
  // Until when its leader may leave a hold as it is.
  TrueTime lifts_at(const Leader& leader) const {
    return std::max({*history_->held, stepped_, leader.judges}) + bounds_.lifts;
  }
  // It has heard that it is to stop, and works: it neither fires nor looks through the outbox.
  bool is_stopping(const Leader& leader) const {
    return stopping_.contains(leader.who) && works_.running(leader.who) > 0;
  }
  bool waits_for_work(const Leader& leader) const { return is_stopping(leader) || is_full(leader); }

  template <class What>
  void blame(TrueTime at, const Leader& leader, TrueTime since, std::vector<ScheduleId> schedules,
             What what) {
    violate([&] {
      const std::string text = fmt::format("{} leads, {}", names_.who(leader.who), what());
      return Violation{at, text, {leader.who}, std::move(schedules), since};
    });
  }
  void look(TrueTime now) {
    for (Leader& leader : leaders_) {
      judge(now, leader);
      judge_work(now, leader);
    }
  }
  // Has it been stuck for too long before `now`?
  void judge(TrueTime now, Leader& leader) {
    if (now <= leader.look) return;
    leader.look = now + bounds_.stuck;
    if (waits_for_work(leader)) return;
    if (history_->held) {
      const TrueTime lifts = lifts_at(leader);
      leader.look = std::max(leader.look, lifts + bounds_.stuck);
      if (now <= lifts) return;
      leader.waited = std::max(leader.waited, lifts);
      leader.since = std::max(leader.since, lifts);
    }
    const auto slot = first_owed(leader, leader.since);
    if (!slot) return;
    const TrueTime too_long = slot->since + bounds_.stuck + bounds_.timeout * leader.pages_after(slot->since);
    if (too_long >= now) {
      leader.look = too_long;
      return;
    }
    blame(too_long, leader, slot->since, {slot->schedule}, [&] {
      return fmt::format("has done nothing that was due since {}, and stays: {} is not handled",
                         time_text(slot->since), names_.slot(slot->schedule, slot->at));
    });
    leader.begin_again(now);
  }

  // Its leadership, or the run, is over.
  void judge_end(TrueTime now, Leader& leader) {
    judge_work(now, leader);
    judge_sweeps(now, leader);
    judge_tries(now, leader, leader.commits);
    judge_tries(now, leader, leader.holds);
  }

  void judge_work(TrueTime now, Leader& leader) {
    if (now <= leader.look_at_work) return;
    leader.look_at_work = now + bounds_.stuck + bounds_.timeout;
    see_workers(now, leader);
    if (are_at_work(leader) || stopping_.contains(leader.who)) return;
    const auto waiting = works_.oldest_waiting(leader.who);
    if (!waiting) return;
    const TrueTime since = std::max(waiting->since, leader.full);
    const TrueTime too_long = since + bounds_.begin_work(leader.most_waiting);
    if (too_long >= now) {
      leader.look_at_work = std::min(leader.look_at_work, too_long);
      return;
    }
    blame(too_long, leader, since, {waiting->event.schedule}, [&] {
      return fmt::format("has had a free worker since {}, and has not begun {}", time_text(since),
                         names_.event(waiting->event));
    });
    leader.full = now;
  }
  void judge_leaving(const LeadershipChange& change) {
    if (stopping_.contains(change.who) || !reasons_.left_without_one(change)) return;
    blame(change.at, Leader(change.who, change.since, bounds_.stuck), change.since, {}, [&] {
      return fmt::format("has led since {}, and leaves although all went well", time_text(change.since));
    });
  }
  void judge_sweeps(TrueTime now, Leader& leader) {
    const TrueTime since = leader.outbox.since();
    const TrueTime too_long = since + bounds_.sweep(leader.outbox.pages());
    if (too_long >= now || is_stopping(leader)) return;
    blame(too_long, leader, since, {}, [&] {
      return fmt::format("has not looked through the outbox since {}, and stays", time_text(since));
    });
    leader.outbox.begin_again(now);
  }
  void judge_tries(TrueTime now, const Leader& leader, const Tries& tries) {
    const TrueTime too_long = tries.too_long(bounds_.timeout);
    if (too_long == TrueTime::max() || too_long + LeaderBounds::kSlack >= now) return;
    blame(too_long + LeaderBounds::kSlack, leader, tries.first(), {}, [&] {
      const std::string_view what = &tries == &leader.commits ? "to commit" : "to set or lift a hold";
      return fmt::format("has tried {} since {}, {} times and in vain, and stays", what,
                         time_text(tries.first()), tries.count());
    });
  }

  void look_for_first_due() {
    for (Leader& leader : leaders_) leader.first_due = StoreTime::min();
  }
  // Where slots must not overlap, one may wait for what was committed last, and for its work.
  bool fires_in_order(TrueTime now, const Leader& leader, const ScheduleVersion& version) const {
    if (unread_.contains(leader.who.node, version.schedule)) return false;
    if (version.overlap == Overlap::allow) return true;
    const TrueTime long_ago = now - bounds_.stuck;
    const auto fired = fired_.find(version.schedule);
    return version.overlap == Overlap::skip && (fired == fired_.end() || fired->second < long_ago) &&
           works_.has_had_none(leader.who, version.schedule, long_ago);
  }
  // It has covered a row whose turn was at `turn`. What it took before the clock stepped may not be due any more.
  void judge_order(TrueTime now, Leader& leader, StoreTime turn) {
    if (leader.first_due >= turn - bounds_.stuck || leader.commits.latest() <= stepped_) return;
    const auto first = history_->schedules.first_due_to_fire(
        [&](const ScheduleVersion& version) { return fires_in_order(now, leader, version); });
    leader.first_due = first.due;
    if (first.due >= turn - bounds_.stuck) return;
    leader.first_due = StoreTime::max();
    blame(now, leader, clock_.showing_since(first.due), {first.schedule}, [&] {
      return fmt::format("goes on with what came due much later, and passes over {}",
                         names_.slot(first.schedule, first.slot));
    });
  }

  // Of the slots that are due and that no row covers yet, the one that has been waited for longest, from `from` on.
  std::optional<Slot> first_owed(const Leader& leader, TrueTime from) const {
    const StoreTime store_now = view_.store_now(StoreId{});
    std::optional<Slot> owed;
    history_->schedules.for_each([&](const ScheduleVersion& version) {
      if (version.paused) return;
      const bool unread = unread_.contains(leader.who.node, version.schedule);
      if (unread && quarantine_.contains(leader.who, version)) return;
      const bool queues = version.overlap == Overlap::queue_one;
      if (queues && works_.has(leader.who, version.schedule)) return;
      const auto first = version.slots.at_or_after(std::max(version.begin, version.covered_until));
      if (!first || *first >= version.end || version.due(*first) > store_now) return;
      TrueTime since = std::max(unread ? leader.waited : from, clock_.showing_since(version.due(*first)));
      if (queues) since = std::max(since, works_.ended_at(leader.who, version.schedule));
      const auto again = owed_again_.find({version.schedule, version.number});
      if (again != owed_again_.end()) since = std::max(since, again->second);
      if (!owed || since < owed->since) owed = Slot{version.schedule, *first, since};
    });
    return owed;
  }
  Names names_;
  const View& view_;
  LeaderBounds bounds_;
  LeadershipTracker tracker_;
  StoreClockTracker clock_;
  StoreHistory<Known> history_;
  std::vector<Leader> leaders_;
  LeaderWorks works_;
  std::map<VersionKey, TrueTime> owed_again_;
  std::map<ScheduleId, TrueTime> fired_;  // when a fire of it was committed last, or one that overlapped
  Quarantine quarantine_;
  TrueTime stepped_ = TrueTime::min();  // the store's clock, last
  UnreadTracker unread_;
  LeavingReasons reasons_;
  std::set<Incarnation> stopping_;  // they have heard that they are to stop
};

}  // namespace

const char* no_stuck_leader::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_fires(scenario)) return why;
  if (!keeps_ledger(scenario)) return "the scheduler keeps no ledger";
  if (scenario.scheduling.find("stall_timeout") < 0 ||
      scenario.scheduling.duration("stall_timeout") == Duration{})
    return "its leaders stay whatever happens: there is no stall_timeout";
  return nullptr;
}

std::unique_ptr<Checker> no_stuck_leader::make(const CheckerSetup& setup) {
  return std::make_unique<NoStuckLeader>(setup);
}

}  // namespace tenure::sim
