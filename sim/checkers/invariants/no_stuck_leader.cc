// no-stuck-leader: no leader stays while what is due does not get done.
//
// A slot is due, and no row covers it; since it came due, or since its leader began to lead or last covered a row,
// so much time has passed that the leader should have let another try: stall_timeout, and what it may take to
// notice. What holds firing up by design does not count, and the time begins anew when it is over: a hold that its
// leader may not lift yet, a leader that stands still, as many pieces of work as may run, and for a schedule that
// queues its own work. But workers take turns: a leader that covers nothing that has been due and begins manual
// runs and failed work again and again (kTurns) does not wait for a worker. And nothing excuses a leader that tries
// in vain: three commits, or requests to set or lift a hold, and none succeeded. Nor one that covers what came due
// much later than the slot, unless the slot's schedule minds overlap: then it may have to wait for a commit of its
// own schedule first. Whatever is due, a leader looks through the outbox: as much time after it has done so for the
// last time, it should have let another try as well. A paused or deleted schedule is nobody's to fire. One whose
// definition its program cannot read is a reason to leave once for each incarnation and version, whatever else the
// leader gets done (docs/adr/0017). A leader that works, and has asked for nothing for so long that it must have
// been asked to stop, waits for its work (no record says that it was).
// Reads: notes, pauses, deaths, clock changes, edits, ledger rows, holds, requests, work, programs, the store's clock.
// Not applicable: no fires, no ledger, or a scheduler whose leaders stay whatever happens.
// One opportunity: a leader that covers rows, or that is stuck.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/fire_order.h"
#include "sim/checkers/trackers/leader_works.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/quarantine.h"
#include "sim/checkers/trackers/standing_schedules.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/tries.h"
#include "sim/checkers/trackers/unread_tracker.h"

namespace tenure::sim {
namespace {

// For clocks whose rates are within their bounds, and for effects on their way.
constexpr Duration kSlack = Duration::seconds(1);
// For each worker, how often at most it is given to manual runs and to failed work while something is due: each has its
// turn, and a few commits may fail in between.
constexpr std::int64_t kTurns = 10;
// A leader that leads many schedules has many pages to read before it fires.
constexpr std::int64_t kPage = 1000;

class NoStuckLeader final : public Checker {
 public:
  explicit NoStuckLeader(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        view_(setup.view),
        stall_(setup.scenario.scheduling.duration("stall_timeout")),
        timeout_(setup.scenario.scheduling.duration("request_timeout")),
        bound_(stall_ + setup.scenario.scheduling.duration("poll_period") +
               timeout_ * (2 + static_cast<std::int64_t>(setup.scenario.schedules.size()) / kPage) + kSlack),
        lifts_(setup.scenario.scheduling.duration("clock_hold") * 101 / 100 +
               setup.scenario.scheduling.duration("poll_period") + timeout_ + kSlack),
        again_(timeout_ + setup.scenario.scheduling.duration("retry_period") + kSlack),
        quiet_(setup.scenario.scheduling.duration("poll_period") + timeout_ + kSlack),
        max_running_(setup.scenario.scheduling.number("max_running")),
        turns_(static_cast<std::size_t>(kTurns * (max_running_ + 1))),
        tracker_(setup.view),
        clock_(setup.view, bound_) {}

  void see(TrueTime now, const Record& record) override {
    clock_.see(now, record);
    if (!tracker_.passes_over(now, record)) {
      tracker_.see(now, record);
      follow();
    }
    look(now);  // what was so until now
    go_back(now, record);
    see_clock(now, record);
    unread_.see(record);
    if (const auto* applied = std::get_if<Applied>(&record)) {
      take(now, *applied);
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      take(now, *submitted);
    } else if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      asked_for(now, asked->who, asked->item.event);
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == DeliveryOutcome::begun) return begins(now, landed->who, landed->item.event);
      runs_no_more(now, landed->who, landed->item.event);
      if (landed->landing == DeliveryOutcome::duplicate) works_.over(now, landed->who, landed->item.event);
    } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
      runs_no_more(now, ended->who, ended->item.event);
      if (ended->ending == Ending::failed)
        works_.failed(ended->who, ended->item.event);
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
  struct Leader {
    Incarnation who;
    TrueTime begin;  // of its leadership; so are the other times, unless something has happened since
    Duration bound;
    TrueTime waited = begin;        // it was held up by design last
    TrueTime since = begin;         // the same, or it covered a row
    TrueTime covered = begin;       // a row, last
    TrueTime look = begin + bound;  // until then it cannot be stuck
    TrueTime asked = begin;         // for something last, be it work
    TrueTime swept = begin;         // it looked through the outbox last
    TrueTime worked = begin;        // work of its ended last
    TrueTime judges = begin;        // the store's clock from then on: a clock of its own changed last
    // When it began manual runs and failed work since it covered a row or began a slot, the latest times.
    std::deque<TrueTime> others = {};
    Tries commits = {};
    Tries holds = {};
    FireOrder order = FireOrder(bound);
    // No slot that it owes was due before; min(): not known.
    StoreTime first_due = StoreTime::min();
  };
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
      if (!change.gained) continue;
      leaders_.push_back({change.who, change.at, bound_});
      works_.leads_anew(change.who);
    }
    for (const BeliefChange& change : tracker_.beliefs().changes())
      if (change.what == BeliefChange::What::ended && change.at - change.belief.since >= stall_ - kSlack)
        quarantine_.left(change.belief.who, history_->schedules.tracker, unread_);
  }
  // What a failover takes back is owed from then on.
  void go_back(TrueTime now, const Record& record) {
    if (!std::holds_alternative<StoreFailedOver>(record)) return history_.see(record);
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
    for_each_covered(applied, [&](const reference::LedgerRow& row) {
      const ScheduleVersion* version = history_->schedules.tracker.cover(row);
      if (leader == nullptr) return;
      const StoreTime turn = version != nullptr ? leader->order.covered(*version, row) : row.from;
      covered = std::max(covered.value_or(turn), turn);
    });
    if (covered) {
      judge_order(now, *leader, *covered);
      leader->since = leader->covered = now;
      leader->others.clear();
      end_of_tries(now, *leader, leader->commits);
      examined();
    }
    if (leader != nullptr && reference_reply<reference::Outbox>(applied.reply) != nullptr) {
      judge_sweeps(now, *leader);
      leader->swept = now;
      examined();
    }
    const auto* refused = reference_reply<reference::CommitRefused>(applied.reply);
    if (leader != nullptr && refused != nullptr && refused->held)
      end_of_tries(now, *leader, leader->commits);  // what is held is not to be committed
    if (const auto* set = reference_reply<reference::HoldSet>(applied.reply)) {
      if (leader != nullptr) end_of_tries(now, *leader, leader->holds);
      look_for_first_due();  // what was edited in a false future is drawn back
      if (history_->held && !set->hold) begin_again_all(now);
      history_->held = set->hold ? std::optional(history_->held.value_or(now)) : std::nullopt;
    }
  }

  void take(TrueTime now, const Submitted& submitted) {
    const bool takes = for_each_taken(submitted.submission.request, [&](const reference::EventId& event) {
      works_.over(now, submitted.who, event);
    });
    if (!takes && submitted.submission.part == Part::scheduler) asks(now, submitted.who);
    Leader* leader = find_leader(submitted.who);
    if (leader == nullptr) return;
    const Request& request = submitted.submission.request;
    if (reference_request<reference::CommitFires>(request) != nullptr) leader->commits.tried(now, stall_);
    if (reference_request<reference::SetHold>(request) != nullptr ||
        reference_request<reference::ClearHold>(request) != nullptr) {
      // After so long, none was wanted in between.
      if (now > leader->holds.latest() + again_) end_of_tries(now, *leader, leader->holds);
      leader->holds.tried(now, stall_);
    }
  }
  void end_of_tries(TrueTime now, const Leader& leader, Tries& tries) {
    judge_tries(now, leader, tries);
    tries.succeeded();
  }
  void asks(TrueTime now, Incarnation who) {
    Leader* leader = find_leader(who);
    if (leader == nullptr) return;
    if (is_stopping(now, *leader)) waited_for_work(now, *leader);
    leader->asked = now;
  }

  void asked_for(TrueTime now, Incarnation who, const reference::EventId& event) {
    asks(now, who);
    works_.asked(who, event);
  }
  void runs_no_more(TrueTime now, Incarnation who, const reference::EventId& event) {
    Leader* leader = find_leader(who);
    if (leader != nullptr && is_stopping(now, *leader)) waited_for_work(now, *leader);
    if (leader != nullptr && is_full(*leader)) begin_again(now, *leader);
    if (leader != nullptr) leader->worked = now;
    works_.runs_no_more(who, event);
  }
  void begins(TrueTime now, Incarnation who, const reference::EventId& event) {
    const bool again = works_.begun(who, event);
    Leader* leader = find_leader(who);
    if (leader == nullptr) return;
    if (is_full(*leader)) begin_again(now, *leader);  // by design until now
    if (!again && event.run == 0) return leader->others.clear();
    leader->others.push_back(now);
    if (leader->others.size() > turns_) leader->others.pop_front();
  }
  Leader* find_leader(Incarnation who) {
    const auto leader = std::find_if(leaders_.begin(), leaders_.end(),
                                     [who](const Leader& other) { return other.who == who; });
    return leader != leaders_.end() ? &*leader : nullptr;
  }
  void begin_again(TrueTime now, Leader& leader) {
    leader.waited = leader.since = now;
    leader.look = now + bound_;
  }
  // It was asked to stop: it neither fires nor looks through the outbox.
  void waited_for_work(TrueTime now, Leader& leader) {
    begin_again(now, leader);
    leader.swept = now;
  }
  void begin_again_all(TrueTime now) {
    for (Leader& leader : leaders_) begin_again(now, leader);
  }
  bool is_working(Incarnation who) const { return works_.running(who) > 0; }
  // All workers are at work, and have not been given to others again and again while something was due.
  bool is_full(const Leader& leader) const {
    return static_cast<std::int64_t>(works_.running(leader.who)) >= max_running_ &&
           !gives_workers_away(leader);
  }
  bool gives_workers_away(const Leader& leader) const {
    if (leader.others.size() < turns_) return false;
    const auto slot = first_owed(leader, leader.covered);
    return slot && slot->since < leader.others.front();
  }
  // Until when its leader may leave a hold as it is.
  TrueTime lifts_at(const Leader& leader) const {
    return std::max({*history_->held, stepped_, leader.judges}) + lifts_;
  }
  bool is_stopping(TrueTime now, const Leader& leader) const {
    return is_working(leader.who) && now - leader.asked >= quiet_;
  }

  void look(TrueTime now) {
    for (Leader& leader : leaders_) judge(now, leader);
  }
  // Has it been stuck for too long before `now`?
  void judge(TrueTime now, Leader& leader) {
    if (now <= leader.look) return;
    leader.look = now + bound_;
    if (is_full(leader)) return;
    if (history_->held) {
      const TrueTime lifts = lifts_at(leader);
      leader.look = std::max(leader.look, lifts + bound_);
      if (now <= lifts) return;
      leader.waited = std::max(leader.waited, lifts);
      leader.since = std::max(leader.since, lifts);
    }
    const auto slot = first_owed(leader, leader.since);
    if (!slot) return;
    const TrueTime too_long = slot->since + bound_;
    const bool stops_before = is_working(leader.who) && too_long >= leader.asked + quiet_;
    if (too_long >= now || stops_before) {
      leader.look = std::max(too_long, now);
      return;
    }
    violate([&] {
      return Violation{
          too_long,
          fmt::format("{} leads, has done nothing that was due since {}, and stays: {} is not handled",
                      names_.who(leader.who), time_text(slot->since), names_.slot(slot->schedule, slot->at)),
          {leader.who},
          {slot->schedule},
          slot->since};
    });
    begin_again(now, leader);
  }

  // Its leadership, or the run, is over.
  void judge_end(TrueTime now, Leader& leader) {
    judge_sweeps(now, leader);
    judge_tries(now, leader, leader.commits);
    judge_tries(now, leader, leader.holds);
  }
  void judge_sweeps(TrueTime now, Leader& leader) {
    const TrueTime too_long = leader.swept + bound_ + timeout_;
    if (too_long >= now) return;
    // It was asked to stop, it may be: it has asked for nothing since, and has worked nearly to the end.
    const bool works = is_working(leader.who) || leader.worked >= too_long - timeout_;
    if (works && leader.asked < too_long) return;
    violate([&] {
      return Violation{too_long,
                       fmt::format("{} leads, has not looked through the outbox since {}, and stays",
                                   names_.who(leader.who), time_text(leader.swept)),
                       {leader.who},
                       {},
                       leader.swept};
    });
    leader.swept = now;
  }
  void judge_tries(TrueTime now, const Leader& leader, const Tries& tries) {
    const TrueTime too_long = tries.too_long(timeout_);
    if (too_long == TrueTime::max() || too_long + kSlack >= now) return;
    violate([&] {
      const std::string_view what = &tries == &leader.commits ? "to commit" : "to set or lift a hold";
      return Violation{too_long + kSlack,
                       fmt::format("{} leads, has tried {} since {}, {} times and in vain, and stays",
                                   names_.who(leader.who), what, time_text(tries.first()), tries.count()),
                       {leader.who},
                       {},
                       tries.first()};
    });
  }

  void look_for_first_due() {
    for (Leader& leader : leaders_) leader.first_due = StoreTime::min();
  }
  // It has covered a row whose turn was at `turn`.
  void judge_order(TrueTime now, Leader& leader, StoreTime turn) {
    if (leader.first_due >= turn - bound_) return;
    StoreTime first_due = StoreTime::max();
    Slot slot;
    history_->schedules.for_each([&](const ScheduleVersion& version) {
      if (version.paused || version.overlap != Overlap::allow) return;
      if (unread_.contains(leader.who.node, version.schedule)) return;
      const auto first = version.slots.at_or_after(std::max(version.begin, version.covered_until));
      if (!first || *first >= version.end || version.due(*first) >= first_due) return;
      first_due = version.due(*first);
      slot = {version.schedule, *first, clock_.showing_since(first_due)};
    });
    leader.first_due = first_due;
    if (first_due >= turn - bound_) return;
    leader.first_due = StoreTime::max();
    violate([&] {
      return Violation{now,
                       fmt::format("{} leads, goes on with what came due much later, and passes over {}",
                                   names_.who(leader.who), names_.slot(slot.schedule, slot.at)),
                       {leader.who},
                       {slot.schedule},
                       slot.since};
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
  Duration stall_;
  Duration timeout_;  // of a request
  Duration bound_;
  Duration lifts_;  // a hold is lifted so long after the store's clock was as it is now
  Duration again_;  // within that time a hold is asked for once more, while one is wanted
  Duration quiet_;
  std::int64_t max_running_;
  std::size_t turns_;  // of all workers, kTurns for each
  LeadershipTracker tracker_;
  StoreClockTracker clock_;
  StoreHistory<Known> history_;
  std::vector<Leader> leaders_;
  LeaderWorks works_;
  std::map<VersionKey, TrueTime> owed_again_;
  Quarantine quarantine_;
  TrueTime stepped_ = TrueTime::min();  // the store's clock, last
  UnreadTracker unread_;
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
