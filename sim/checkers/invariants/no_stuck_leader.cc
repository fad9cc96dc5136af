// no-stuck-leader: no leader stays while what is due does not get done.
//
// An incarnation leads, and does not stand still. A slot is due, and no row covers it; since it came due, or since its
// leader began to lead, last covered a row or asked for work, so much time has passed that the leader should have let
// another try: stall_timeout, and what it may take to notice. What holds firing up by design does not count: a hold, as
// many pieces of work as may run, a paused or deleted schedule, one that waits for its own work to end, and one whose
// definition its program cannot read. One that was asked to stop, and waits for its work, asks nothing of the store.
// Reads: notes, pauses, deaths, clock changes, edits, ledger rows, holds, work, programs.
// Not applicable: no fires, no ledger, or a scheduler whose leaders stay whatever happens.
// One opportunity: a leader that covers rows, or that is looked at because it has not for so long.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/unread_tracker.h"

namespace tenure::sim {
namespace {

// What was due lasts for as long as a leader may take to learn of it, and to notice that it does not get done.
Duration longest_stay(const Parameters& scheduling) {
  return scheduling.duration("stall_timeout") + scheduling.duration("poll_period") +
         scheduling.duration("request_timeout") * 2 + Duration::seconds(1);
}

class NoStuckLeader final : public Checker {
 public:
  explicit NoStuckLeader(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        view_(setup.view),
        bound_(longest_stay(setup.scenario.scheduling)),
        max_running_(setup.scenario.scheduling.number("max_running")),
        tracker_(setup.view) {}

  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    unread_.see(record);
    if (!tracker_.passes_over(now, record)) {
      tracker_.see(now, record);
      follow();
    }
    if (const auto* applied = std::get_if<Applied>(&record)) {
      take(now, *applied);
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      const bool acknowledges =
          reference_request<reference::AckEvents>(submitted->submission.request) != nullptr;
      if (submitted->submission.part == Part::scheduler && !acknowledges) asks(submitted->who);
    } else if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      started(now, asked->who, asked->item.event.schedule);
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != DeliveryOutcome::begun) ended(now, landed->who, landed->item.event.schedule);
    } else if (const auto* over = std::get_if<WorkEnded>(&record)) {
      ended(now, over->who, over->item.event.schedule);
    }
    for (Leader& leader : leaders_)
      if (now >= leader.look) judge(now, leader);
  }

  void finish(TrueTime now) override {
    tracker_.advance(now);
    follow();
    for (Leader& leader : leaders_)
      if (now >= leader.look) judge(now, leader);
  }

 private:
  struct Known {
    ScheduleTracker tracker;
    std::map<ScheduleId, std::uint32_t> deleted_before;  // versions below this index are deleted ones
    bool held = false;
    void went_back(const Known& lost, std::uint32_t) { tracker.went_back(lost.tracker); }
  };
  // From `since` on it has covered nothing, and asked for no work. Until `look` it cannot be stuck.
  struct Leader {
    Incarnation who;
    TrueTime since;
    TrueTime look;
    bool asks =
        false;  // anything of the store, since then: one that is stopping, and waits for its work, does not
  };
  struct Works {
    std::int64_t count = 0;
    TrueTime ended = TrueTime::min();  // the last of them that did
  };
  struct Running {
    Incarnation who;
    std::int64_t count = 0;
  };

  void follow() {
    for (const LeadershipChange& change : tracker_.changes()) {
      std::erase_if(leaders_, [&](const Leader& leader) { return leader.who == change.who; });
      if (change.gained) leaders_.push_back({change.who, change.at, change.at + bound_});
    }
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
    if (covered && went_on(now, applied.who)) examined();
    if (const auto* set = reference_reply<reference::HoldSet>(applied.reply)) {
      history_->held = set->hold.has_value();
      for (Leader& leader : leaders_) begin_again(now, leader);
    }
  }

  bool went_on(TrueTime now, Incarnation who) {
    const auto leader = std::find_if(leaders_.begin(), leaders_.end(),
                                     [who](const Leader& other) { return other.who == who; });
    if (leader == leaders_.end()) return false;
    begin_again(now, *leader);
    return true;
  }
  void asks(Incarnation who) {
    for (Leader& leader : leaders_)
      if (leader.who == who) leader.asks = true;
  }
  void begin_again(TrueTime now, Leader& leader) {
    leader.since = now;
    leader.look = now + bound_;
    leader.asks = false;
  }

  void started(TrueTime now, Incarnation who, ScheduleId schedule) {
    ++running_of(who).count;
    ++works_[{who, schedule}].count;
    went_on(now, who);
  }
  void ended(TrueTime now, Incarnation who, ScheduleId schedule) {
    Works& works = works_[{who, schedule}];
    --works.count;
    works.ended = now;
    Running& running = running_of(who);
    if (running.count-- >= max_running_) went_on(now, who);
    if (running.count <= 0) std::erase_if(running_, [](const Running& row) { return row.count <= 0; });
  }
  Running& running_of(Incarnation who) {
    const auto found =
        std::find_if(running_.begin(), running_.end(), [who](const Running& row) { return row.who == who; });
    return found != running_.end() ? *found : running_.emplace_back(Running{who, 0});
  }

  void judge(TrueTime now, Leader& leader) {
    const std::int64_t running = running_of(leader.who).count;
    const bool waits = history_->held || running >= max_running_ || (running > 0 && !leader.asks);
    const auto slot = waits ? std::nullopt : first_owed(now, leader);
    if (slot && now - slot->since < bound_) {
      leader.look = slot->since + bound_;
      return;
    }
    if (!slot && !waits) {
      leader.look = now + bound_;
      return;
    }
    if (slot) {
      examined();
      violate([&] {
        return Violation{
            now,
            fmt::format("{} leads, has done nothing that was due since {}, and stays: {} is not handled",
                        names_.who(leader.who), time_text(slot->since),
                        names_.slot(slot->schedule, slot->at)),
            {leader.who},
            {slot->schedule}};
      });
    }
    begin_again(now, leader);
  }

  struct Slot {
    ScheduleId schedule;
    StoreTime at;
    TrueTime since;  // it has been due, and nothing else was done, nor waited for
  };
  // Of the slots that are due and that no row covers yet, the one that has been waited for longest.
  std::optional<Slot> first_owed(TrueTime now, const Leader& leader) const {
    const StoreTime store_now = view_.store_now(StoreId{});
    std::optional<Slot> owed;
    for (std::uint32_t id = 0; id < history_->tracker.schedule_count(); ++id) {
      const ScheduleId schedule{id};
      if (unread_.contains(leader.who.node, schedule)) continue;
      const auto deleted = history_->deleted_before.find(schedule);
      const std::uint32_t first_index = deleted != history_->deleted_before.end() ? deleted->second : 0;
      const auto works = works_.find({leader.who, schedule});
      for (const ScheduleVersion& version : history_->tracker.versions(schedule)) {
        if (version.index < first_index || version.paused) continue;
        const bool queues = version.overlap == Overlap::queue_one && works != works_.end();
        if (queues && works->second.count > 0) continue;
        const auto first = version.slots.at_or_after(std::max(version.begin, version.covered_until));
        if (!first || *first >= version.end || version.due(*first) > store_now) continue;
        TrueTime since = std::max(leader.since, now - (store_now - version.due(*first)));
        if (queues) since = std::max(since, works->second.ended);
        if (!owed || since < owed->since) owed = Slot{schedule, *first, since};
      }
    }
    return owed;
  }

  Names names_;
  const View& view_;
  Duration bound_;
  std::int64_t max_running_;
  LeadershipTracker tracker_;
  StoreHistory<Known> history_;
  std::vector<Leader> leaders_;
  std::vector<Running> running_;
  std::map<std::pair<Incarnation, ScheduleId>, Works> works_;
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
