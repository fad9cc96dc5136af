// no-stuck-leader: no leader stays while what is due does not get done.
//
// A slot is due, and no row covers it; since it came due, or since its leader began to lead or last covered a row, so
// much time has passed that the leader should have let another try: stall_timeout, and what it may take to notice.
// What holds firing up by design does not count, and the time begins anew when it is over: a hold that its leader may
// not lift yet, a leader that stands still, as many pieces of work as may run, and for a schedule that queues its own
// work. But workers take turns: a leader that covers nothing and begins manual runs and failed work again and again
// (kTurns) does not wait for a worker. Whatever is due, a leader looks through the outbox: as much time after it has
// done so for the last time, it should have let another try as well.
// A paused or deleted schedule is nobody's to fire. One whose definition its program cannot read is a reason to leave
// once for each incarnation and version, whatever else the leader gets done (docs/adr/0017). A leader that works, and
// has asked for nothing for so long that it must have been asked to stop, waits for its work (no record says that it
// was).
// Reads: notes, pauses, deaths, clock changes, edits, ledger rows, holds, requests, work, programs, the store's clock.
// Not applicable: no fires, no ledger, or a scheduler whose leaders stay whatever happens.
// One opportunity: a leader that covers rows, or that is stuck.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "core/store/reference/event_map.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_clock_tracker.h"
#include "sim/checkers/trackers/store_history.h"
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
        quiet_(setup.scenario.scheduling.duration("poll_period") + timeout_ + kSlack),
        max_running_(setup.scenario.scheduling.number("max_running")),
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
      if (landed->landing == DeliveryOutcome::duplicate) over(now, landed->who, landed->item.event);
    } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
      runs_no_more(now, ended->who, ended->item.event);
      if (ended->ending == Ending::failed)
        works_[ended->who].failed.add(ended->item.event);
      else
        over(now, ended->who, ended->item.event);
    }
  }

  void finish(TrueTime now) override {
    clock_.advance(now);
    tracker_.advance(now);
    follow();
    look(now);
    for (Leader& leader : leaders_) judge_sweeps(now, leader);
  }

 private:
  struct Known {
    ScheduleTracker tracker;
    std::map<ScheduleId, std::uint32_t> deleted_before;  // versions below this index are deleted ones
    std::optional<TrueTime> held;                        // since then
    void went_back(const Known& lost, std::uint32_t) { tracker.went_back(lost.tracker); }
  };
  struct Leader {
    Incarnation who;
    TrueTime waited;  // it began to lead then, or was held up by design last
    TrueTime since;   // the same, or it covered a row
    TrueTime look;    // until then it cannot be stuck
    TrueTime asked;   // it began to lead then, or asked for something last, be it work
    TrueTime swept;   // it began to lead then, or looked through the outbox last
    TrueTime
        judges;  // from then on it judges the store's clock: it began to lead then, or a clock of its own changed
    std::int64_t others =
        0;  // manual runs and failed work that it began since it covered a row, or began a slot
  };
  // The work that an incarnation asked for.
  struct Works {
    reference::EventsInHand failed;  // to be begun again
    reference::EventsInHand running;
    reference::EventsInHand in_hand;  // also what waits to be begun again
    std::vector<TrueTime> ended;      // by schedule: of the last that was over

    TrueTime ended_at(ScheduleId schedule) const {
      return schedule.value < ended.size() ? ended[schedule.value] : TrueTime::min();
    }
  };
  using VersionKey = std::pair<ScheduleId, std::uint32_t>;

  void follow() {
    for (const LeadershipChange& change : tracker_.changes()) {
      if (Leader* leader = find_leader(change.who)) {
        judge(change.at, *leader);
        judge_sweeps(change.at, *leader);
      }
      std::erase_if(leaders_, [&](const Leader& leader) { return leader.who == change.who; });
      if (!change.gained) continue;
      leaders_.push_back(
          {change.who, change.at, change.at, change.at + bound_, change.at, change.at, change.at});
      // What waited to be begun again is the outbox's since its last leadership ended.
      if (const auto works = works_.find(change.who); works != works_.end()) {
        works->second.in_hand = works->second.running;
        works->second.failed = {};
      }
    }
    for (const BeliefChange& change : tracker_.beliefs().changes())
      if (change.what == BeliefChange::What::ended) left(change);
  }
  // The others can have tried what it cannot read.
  void left(const BeliefChange& change) {
    if (change.at - change.belief.since < stall_ - kSlack) return;
    for (std::uint32_t id = 0; id < history_->tracker.schedule_count(); ++id) {
      if (!unread_.contains(change.belief.who.node, ScheduleId{id})) continue;
      for (const ScheduleVersion& version : history_->tracker.versions(ScheduleId{id}))
        quarantined_.insert({change.belief.who, version.schedule, version.number});
    }
  }

  // What a failover takes back is owed from then on.
  void go_back(TrueTime now, const Record& record) {
    if (!std::holds_alternative<StoreFailedOver>(record)) return history_.see(record);
    const Known before = *history_.operator->();
    history_.see(record);
    for_each_owing(*history_.operator->(), [&](const ScheduleVersion& version) {
      const ScheduleVersion* then = before.tracker.find(version.schedule, version.number);
      const auto deleted = before.deleted_before.find(version.schedule);
      const bool owed = then != nullptr && then->index == version.index &&
                        (deleted == before.deleted_before.end() || then->index >= deleted->second) &&
                        then->covered_until == version.covered_until && then->end == version.end;
      if (!owed) owed_again_[{version.schedule, version.number}] = now;
    });
    if (before.held) begin_again_all(now);
  }
  void see_clock(TrueTime now, const Record& record) {
    if (std::holds_alternative<StoreClockStepped>(record) || std::holds_alternative<StoreFailedOver>(record))
      stepped_ = now;
    const auto* changed = std::get_if<ClockChanged>(&record);
    for (Leader& leader : leaders_)
      if (changed != nullptr && changed->node == leader.who.node) leader.judges = now;
  }

  void take(TrueTime now, const Applied& applied) {
    const ScheduleTracker::Change change = history_->tracker.see(applied);
    if (change.what == ScheduleTracker::Edit::deleted)
      history_->deleted_before[change.schedule] = history_->tracker.version_count();
    bool covered = false;
    for_each_covered(applied, [&](const reference::LedgerRow& row) {
      history_->tracker.cover(row);
      covered = true;
    });
    Leader* leader = find_leader(applied.who);
    if (covered && leader != nullptr) {
      leader->since = now;
      leader->others = 0;
      examined();
    }
    if (leader != nullptr && reference_reply<reference::Outbox>(applied.reply) != nullptr) {
      judge_sweeps(now, *leader);
      leader->swept = now;
      examined();
    }
    if (const auto* set = reference_reply<reference::HoldSet>(applied.reply)) {
      if (history_->held) begin_again_all(now);
      history_->held = set->hold ? std::optional(now) : std::nullopt;
    }
  }

  void take(TrueTime now, const Submitted& submitted) {
    const bool takes = for_each_taken(submitted.submission.request, [&](const reference::EventId& event) {
      over(now, submitted.who, event);
    });
    if (!takes && submitted.submission.part == Part::scheduler) asks(now, submitted.who);
  }
  void asks(TrueTime now, Incarnation who) {
    Leader* leader = find_leader(who);
    if (leader == nullptr) return;
    if (is_stopping(now, *leader)) waited_for_work(now, *leader);
    leader->asked = now;
  }

  void asked_for(TrueTime now, Incarnation who, const reference::EventId& event) {
    asks(now, who);
    Works& works = works_[who];
    works.running.add(event);
    works.in_hand.add(event);
  }
  void runs_no_more(TrueTime now, Incarnation who, const reference::EventId& event) {
    Leader* leader = find_leader(who);
    if (leader != nullptr && is_stopping(now, *leader)) waited_for_work(now, *leader);
    if (leader != nullptr && is_full(*leader)) begin_again(now, *leader);
    if (const auto works = works_.find(who); works != works_.end()) works->second.running.erase(event);
  }
  void begins(TrueTime now, Incarnation who, const reference::EventId& event) {
    const bool again = works_[who].failed.erase(event);
    Leader* leader = find_leader(who);
    if (leader == nullptr) return;
    if (is_full(*leader)) begin_again(now, *leader);  // by design until now
    leader->others = again || event.run != 0 ? leader->others + 1 : 0;
  }
  void over(TrueTime now, Incarnation who, const reference::EventId& event) {
    const auto works = works_.find(who);
    if (works == works_.end() || !works->second.in_hand.erase(event)) return;
    works->second.failed.erase(event);
    std::vector<TrueTime>& ended = works->second.ended;
    if (ended.size() <= event.schedule.value) ended.resize(event.schedule.value + 1, TrueTime::min());
    ended[event.schedule.value] = now;
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
  std::size_t running(Incarnation who) const {
    const auto works = works_.find(who);
    return works != works_.end() ? works->second.running.size() : 0;
  }
  bool is_working(Incarnation who) const { return running(who) > 0; }
  // All workers are at work, and have not been given to others again and again.
  bool is_full(const Leader& leader) const {
    return static_cast<std::int64_t>(running(leader.who)) >= max_running_ &&
           leader.others / kTurns <= max_running_;
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
    const auto slot = first_owed(leader);
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

  void judge_sweeps(TrueTime now, Leader& leader) {
    const TrueTime too_long = leader.swept + bound_ + timeout_;
    if (too_long >= now || (is_working(leader.who) && too_long >= leader.asked + quiet_)) return;
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

  struct Slot {
    ScheduleId schedule;
    StoreTime at;
    TrueTime since;  // it has been due, and nothing else was done, nor waited for
  };
  // Of the slots that are due and that no row covers yet, the one that has been waited for longest.
  std::optional<Slot> first_owed(const Leader& leader) const {
    const StoreTime store_now = view_.store_now(StoreId{});
    const auto works = works_.find(leader.who);
    std::optional<Slot> owed;
    for_each_owing(*history_.operator->(), [&](const ScheduleVersion& version) {
      if (version.paused) return;
      const bool unread = unread_.contains(leader.who.node, version.schedule);
      if (unread && quarantined_.contains({leader.who, version.schedule, version.number})) return;
      const bool queues = version.overlap == Overlap::queue_one && works != works_.end();
      if (queues && works->second.in_hand.knows(version.schedule)) return;
      const auto first = version.slots.at_or_after(std::max(version.begin, version.covered_until));
      if (!first || *first >= version.end || version.due(*first) > store_now) return;
      TrueTime since =
          std::max(unread ? leader.waited : leader.since, clock_.showing_since(version.due(*first)));
      if (queues) since = std::max(since, works->second.ended_at(version.schedule));
      const auto again = owed_again_.find({version.schedule, version.number});
      if (again != owed_again_.end()) since = std::max(since, again->second);
      if (!owed || since < owed->since) owed = Slot{version.schedule, *first, since};
    });
    return owed;
  }
  // Calls see(version) for each that was not deleted.
  template <class See>
  static void for_each_owing(const Known& known, See&& see) {
    for (std::uint32_t id = 0; id < known.tracker.schedule_count(); ++id) {
      const auto deleted = known.deleted_before.find(ScheduleId{id});
      const std::uint32_t first = deleted != known.deleted_before.end() ? deleted->second : 0;
      for (const ScheduleVersion& version : known.tracker.versions(ScheduleId{id}))
        if (version.index >= first) see(version);
    }
  }

  Names names_;
  const View& view_;
  Duration stall_;
  Duration timeout_;  // of a request
  Duration bound_;
  Duration lifts_;  // a hold is lifted so long after the store's clock was as it is now
  Duration quiet_;
  std::int64_t max_running_;
  LeadershipTracker tracker_;
  StoreClockTracker clock_;
  StoreHistory<Known> history_;
  std::vector<Leader> leaders_;
  std::map<Incarnation, Works> works_;
  std::map<VersionKey, TrueTime> owed_again_;
  std::set<std::tuple<Incarnation, ScheduleId, std::uint32_t>> quarantined_;
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
