// No leader stays while what is due does not get done (docs/adr/0016-a-leader-that-cannot-fire-steps-aside.md): once
// a slot has been due for `stall_timeout`, a `poll_period`, two `request_timeout` and a second, it leads no more. If
// eight answers take longer than two `request_timeout`, they count in their place: four until its commit is tried, and
// four for the last try. For each thousand schedules four `request_timeout` come to that.
//
// That time counts from when the slot came due or the leader began to lead, and anew from each row that the leader
// covers. It does not run while the leader waits by design: under a hold, while it stands still, while as much work
// as may run does, and for a slot whose work must wait for other work of its schedule. What is paused or deleted is
// nobody's to fire. A hold is by design until its leader may lift it. Workers that a leader gives to manual runs and
// to work that failed while the slot is due, twice each, ten times more, and no row in between, are no reason to
// wait. Nor is anything one for a leader that has tried three times, to commit or to set or lift a hold, and has not
// succeeded once: when it has tried for `stall_timeout`, its next try is the last, and once that had its answer it
// leads no more. From one try to the next half of `stall_timeout` counts at most, for it may have waited in between.
// Its requests take turns: it has four, and each answer may take `request_timeout`. A leader also looks through the
// whole outbox in that time and two rounds of turns, and another one for each page that brings it further. For that
// time and one request it may leave lying what it is to begin while a worker is free, with a round more for each
// thousand that wait; and what came back in vain for a minute more. And it keeps the order: no row of its has a turn
// that much later than a slot was due that is covered by none, unless that slot's schedule minds overlap, and has work
// in hand or had some just now. A leader that has heard that it is to stop tries nothing any more: as long as it works
// it may stay. A version that its program cannot read is a reason once
// for each incarnation, and rows of others do not count then (docs/adr/0017-a-definition-that-cannot-be-read.md).
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"
#include "tests/judge/leaving.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/to_begin.h"
#include "tests/judge/tokens.h"
#include "tests/judge/turns.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

// A slot of a version, in the order of its schedule.
struct OwnedSlot {
  ScheduleId schedule;
  std::uint32_t version = 0;
  StoreTime slot;
  auto operator<=>(const OwnedSlot&) const = default;
};

// ---- what is left to do -----------------------------------------------------------------------------------

// The slots that no row covers, and when they are due, as the store has it after the facts so far.
class LeftToDo {
 public:
  LeftToDo(const History& history, const ScheduleHistory& schedules)
      : history_(history), schedules_(schedules) {
    for (const Kept& kept : history.facts) horizon_ = std::max(horizon_, kept.store_now);
    horizon_ = std::max(horizon_, history.end_store) + Duration::micros(1);
  }

  void see(std::size_t place) {
    is_old_ = is_old_ || is_seen_anew(place);
    if (is_old_ || cover_up_to(place)) firsts_are_known_ = false;
    seen_up_to_ = place;
  }

  // Of each version, in order, and when it is due.
  const std::vector<std::pair<OwnedSlot, StoreTime>>& first_of_each() {
    if (is_old_) look_anew(seen_up_to_);
    if (!firsts_are_known_) find_firsts();
    return firsts_;
  }
  // Of a slot that first_of_each() has.
  Overlap overlap_of(const OwnedSlot& owned) const { return overlaps_.at({owned.schedule, owned.version}); }

 private:
  using VersionKey = std::pair<ScheduleId, std::uint32_t>;

  bool is_seen_anew(std::size_t place) const {
    const Fact& fact = history_.facts[place].fact;
    if (std::holds_alternative<sim::StoreFailedOver>(fact)) return true;
    const auto* applied = std::get_if<KeptApplied>(&fact);
    return applied != nullptr && (as_reference<reference::Edited>(applied->reply) != nullptr ||
                                  as_reference<reference::NamedEdited>(applied->reply) != nullptr ||
                                  as_reference<reference::ClearHold>(applied->request) != nullptr);
  }

  void look_anew(std::size_t place) {
    is_old_ = false;
    due_.clear();
    for (const ScheduleId schedule : schedules_.ids()) {
      const std::vector<Version> versions = schedules_.versions(schedule, place);
      if (versions.empty() || versions.back().deleted) continue;
      for (const Version& version : versions)
        if (!version.definition.paused) add(version);
    }
    next_row_ = 0;
    for (; next_row_ < schedules_.rows().size() && schedules_.rows()[next_row_].place <= place; ++next_row_)
      if (schedules_.holds(schedules_.rows()[next_row_].place, place)) cover(schedules_.rows()[next_row_]);
  }

  // False: no row came with the fact.
  bool cover_up_to(std::size_t place) {
    const std::size_t before = next_row_;
    if (!std::holds_alternative<KeptApplied>(history_.facts[place].fact)) return false;
    for (; next_row_ < schedules_.rows().size() && schedules_.rows()[next_row_].place <= place; ++next_row_)
      cover(schedules_.rows()[next_row_]);
    return next_row_ != before;
  }

  void find_firsts() {
    firsts_are_known_ = true;
    firsts_.clear();
    for (auto it = due_.begin(); it != due_.end();) {
      const auto [owned, due] = *it;
      firsts_.emplace_back(owned, due);
      it = due_.upper_bound({owned.schedule, owned.version, StoreTime::max()});
    }
  }

  void add(const Version& version) {
    overlaps_[{version.schedule, version.number}] = version.definition.overlap;
    for (const auto& [slot, due] : slots_of_all_time(version)) {
      if (slot >= version.end) break;
      const OwnedSlot owned{version.schedule, version.number, slot};
      due_[owned] = due;
    }
  }

  // To work out the slots of a calendar, and their jitter, takes long.
  const std::map<StoreTime, StoreTime>& slots_of_all_time(const Version& version) {
    const auto [known, is_new] = slots_.try_emplace({version.schedule, version.place, version.begin});
    if (is_new)
      for (const StoreTime slot : slots_between(version.definition, version.begin, horizon_))
        known->second[slot] = due_of(version.definition, version.schedule, slot);
    return known->second;
  }

  void cover(const LedgerRow& covered) {
    const reference::LedgerRow& row = covered.row;
    // What lies behind is not owed any more.
    const bool own = row.what == reference::Disposition::fired && row.slots == 1;
    const StoreTime to = own ? row.slot + Duration::micros(1) : row.to;
    auto it = due_.lower_bound({row.schedule, row.version, StoreTime::min()});
    while (it != due_.end() && it->first < OwnedSlot{row.schedule, row.version, to}) {
      it = due_.erase(it);
    }
  }

  const History& history_;
  const ScheduleHistory& schedules_;
  StoreTime horizon_ = StoreTime::min();  // no clock shows more
  std::size_t next_row_ = 0;
  std::map<OwnedSlot, StoreTime> due_;
  std::vector<std::pair<OwnedSlot, StoreTime>> firsts_;  // of due_, if they are known
  bool firsts_are_known_ = false;
  bool is_old_ = false;  // nobody has asked since an edit, and working it out takes long
  std::size_t seen_up_to_ = 0;
  std::map<VersionKey, Overlap> overlaps_;
  std::map<std::tuple<ScheduleId, std::size_t, StoreTime>, std::map<StoreTime, StoreTime>> slots_;
};

// ---- what leaders wait for by design ----------------------------------------------------------------------

// For rates of clocks within their bounds, and for what is on its way.
constexpr Duration kSlack = Duration::seconds(1);

class ByDesign {
 public:
  ByDesign(const Case& run, const ScheduleHistory& schedules) : history_(run.history), schedules_(schedules) {
    const Parameters& scheduling = run.scenario.scheduling;
    if (scheduling.find("max_running") >= 0)
      max_running_ = static_cast<std::size_t>(scheduling.number("max_running"));
    timeout_ = scheduling.duration("request_timeout");
    way_ = run.scenario.network.latency.max();
    const Duration hold = scheduling.duration("clock_hold");
    may_lift_after_ = hold + hold / 100 + scheduling.duration("poll_period") +
                      scheduling.duration("request_timeout") + kSlack;
  }

  void see(std::size_t place) {
    const Fact& fact = history_.facts[place].fact;
    if (const auto* paused = std::get_if<sim::NodePaused>(&fact)) still_.insert(paused->who);
    if (const auto* resumed = std::get_if<sim::NodeResumed>(&fact)) {
      still_.erase(resumed->who);
      looks_at_the_clock_from_[resumed->who.node] = history_.facts[place].at;
    }
    if (const auto* changed = std::get_if<KeptClockChange>(&fact))
      looks_at_the_clock_from_[changed->node] = history_.facts[place].at;
    if (std::holds_alternative<sim::StoreClockStepped>(fact) ||
        std::holds_alternative<sim::StoreFailedOver>(fact))
      store_clock_changed_ = history_.facts[place].at;
    if (const auto* read = std::get_if<sim::DefinitionRead>(&fact)) {
      if (read->readable)
        unread_.erase({read->node, read->schedule});
      else
        unread_.insert({read->node, read->schedule});
    }
    const bool was_held = place > 0 && held_since(place - 1).has_value();
    if (const auto* applied = std::get_if<KeptApplied>(&fact))
      if (const auto* hold = as_reference<reference::HoldSet>(applied->reply))
        holds_.push_back({place, hold->hold.has_value()});
    // Under a hold nothing else can be begun.
    const bool is_lifted =
        !held_since(place).has_value() || std::holds_alternative<sim::StoreFailedOver>(fact);
    if (was_held && is_lifted) given_away_.clear();
    see_work(fact, history_.facts[place].at);
    if (const auto* heard = std::get_if<sim::StopHeard>(&fact)) is_to_stop_.insert(heard->who);
  }

  // `owed`: since when a slot is due, if one is.
  bool waits(Incarnation who, std::optional<sim::TrueTime> owed) const {
    return stands_still(who) || finishes_its_work(who) ||
           (all_workers_are_at_work(who) && !gives_workers_away(who, owed));
  }
  bool all_workers_are_at_work(Incarnation who) const { return running(who) >= max_running_; }
  bool is_to_stop(Incarnation who) const { return is_to_stop_.count(who) > 0; }
  // It is to stop, and does nothing else any more.
  bool finishes_its_work(Incarnation who) const { return is_to_stop(who) && running(who) > 0; }
  bool stands_still(Incarnation who) const { return still_.count(who) > 0; }
  // Until when it may leave the hold as it is; min() if there is none. `begin`: of its leadership.
  sim::TrueTime may_hold_until(Incarnation who, sim::TrueTime begin, std::size_t place) const {
    const std::optional<sim::TrueTime> held = held_since(place);
    if (!held) return sim::TrueTime::min();
    const auto looks = looks_at_the_clock_from_.find(who.node);
    const sim::TrueTime from = looks != looks_at_the_clock_from_.end() ? looks->second : begin;
    return std::max({begin, from, store_clock_changed_, *held}) + may_lift_after_;
  }
  // Its workers are at work, or are kept for the fires of a commit: from when it is sent until one of them begins, or
  // the leader reads something else, or its time is over.
  bool has_no_worker(Incarnation who, sim::TrueTime at) const {
    const auto kept = kept_.find(who);
    const bool keeps = kept != kept_.end() && at <= kept->second.until;
    return running(who) + unheard_of(who, at) + (keeps ? kept->second.workers : 0) >= max_running_;
  }
  // Has it work of the schedule that is not over?
  bool works_for(Incarnation who, ScheduleId schedule) const {
    const auto in_hand = in_hand_.find(who);
    return in_hand != in_hand_.end() &&
           std::any_of(in_hand->second.begin(), in_hand->second.end(),
                       [schedule](const reference::EventId& event) { return event.schedule == schedule; });
  }
  // The same, or had it some since `time`?
  bool has_worked_for(Incarnation who, ScheduleId schedule, sim::TrueTime time) const {
    const auto over = over_at_.find({who, schedule});
    return works_for(who, schedule) || (over != over_at_.end() && over->second >= time);
  }
  // It has covered a row.
  void begins_to_count(Incarnation who) { given_away_.erase(who); }
  // What failed before is in the outbox, as a slot to begin.
  void begins_to_lead(Incarnation who) {
    given_away_.erase(who);
    failed_.erase(who);
  }
  bool can_read(NodeId node, ScheduleId schedule) const { return unread_.count({node, schedule}) == 0; }

 private:
  // As the store has it after the fact `place`. To set a hold once more changes nothing.
  std::optional<sim::TrueTime> held_since(std::size_t place) const {
    std::optional<sim::TrueTime> held;
    for (const auto& [at, is_set] : holds_) {
      if (!schedules_.holds(at, place)) continue;
      if (!is_set) held.reset();
      if (is_set && !held) held = history_.facts[at].at;
    }
    return held;
  }
  using Events = std::map<Incarnation, std::set<reference::EventId>>;
  struct KeptWorkers {
    std::size_t workers = 0;
    sim::TrueTime until;
  };

  void see_commit(const KeptSubmission& sent, sim::TrueTime at) {
    const Request& request = sent.submission.request;
    if (const auto* commit = as_reference<reference::CommitFires>(request)) {
      KeptWorkers kept{0, at + timeout_};
      for (const reference::LedgerRow& row : commit->rows)
        if (row.what == Disposition::fired) ++kept.workers;
      kept_[sent.who] = kept;
      is_to_stop_.erase(sent.who);  // it goes on
    } else if (as_reference<reference::ReadDue>(request) != nullptr ||
               as_reference<reference::ReadOutbox>(request) != nullptr) {
      kept_.erase(sent.who);
    }
  }

  std::size_t running(Incarnation who) const {
    const auto at_work = at_work_.find(who);
    return at_work != at_work_.end() ? at_work->second.size() : 0;
  }
  // Work that is over, but its result may be on its way back.
  std::size_t unheard_of(Incarnation who, sim::TrueTime at) const {
    const auto ended = ended_.find(who);
    std::size_t unheard = 0;
    if (ended == ended_.end()) return unheard;
    for (auto end = ended->second.rbegin(); end != ended->second.rend() && *end + way_ > at; ++end) ++unheard;
    return unheard;
  }
  bool gives_workers_away(Incarnation who, std::optional<sim::TrueTime> owed) const {
    const auto given = given_away_.find(who);
    const std::size_t enough = 2 * max_running_ + 10;
    return owed && given != given_away_.end() && given->second.size() >= enough &&
           given->second[given->second.size() - enough] > *owed;
  }

  void over(Incarnation who, const reference::EventId& event, sim::TrueTime at) {
    if (in_hand_[who].erase(event) > 0) over_at_[{who, event.schedule}] = at;
  }
  void see_work(const Fact& fact, sim::TrueTime at) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact)) {
      at_work_[asked->who].insert(asked->item.event);
      in_hand_[asked->who].insert(asked->item.event);
    } else if (const auto* landed = std::get_if<KeptLanding>(&fact)) {
      const bool begun = landed->landing == sim::DeliveryOutcome::begun;
      if (begun) kept_.erase(landed->who);
      const bool again = begun && failed_[landed->who].erase(landed->item.event) > 0;
      if (begun && (again || landed->item.event.run != 0))
        given_away_[landed->who].push_back(at);
      else if (begun)
        given_away_.erase(landed->who);
      if (!begun) at_work_[landed->who].erase(landed->item.event);
      if (!begun) ended_[landed->who].push_back(at);
      if (landed->landing == sim::DeliveryOutcome::duplicate) over(landed->who, landed->item.event, at);
    } else if (const auto* ended = std::get_if<KeptEnding>(&fact)) {
      at_work_[ended->who].erase(ended->item.event);
      ended_[ended->who].push_back(at);
      if (ended->ending == sim::Ending::failed)
        failed_[ended->who].insert(ended->item.event);
      else
        over(ended->who, ended->item.event, at);
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&fact)) {
      see_commit(*submitted, at);
      for (const reference::EventId& event : taken_by(submitted->submission.request))
        over(submitted->who, event, at);
    } else if (const auto* died = std::get_if<sim::NodeDied>(&fact)) {
      at_work_.erase(died->who);
      in_hand_.erase(died->who);
      still_.erase(died->who);
    }
  }

  const History& history_;
  const ScheduleHistory& schedules_;
  std::size_t max_running_ = SIZE_MAX;
  Duration timeout_;
  Duration way_;                                             // of a result
  std::map<Incarnation, std::vector<sim::TrueTime>> ended_;  // work of its
  std::map<Incarnation, KeptWorkers> kept_;
  std::vector<std::pair<std::size_t, bool>> holds_;  // by place: was one set, or lifted?
  std::set<Incarnation> still_;
  std::set<std::pair<NodeId, ScheduleId>> unread_;
  Events at_work_;
  Events in_hand_;                                                       // also what waits to be begun again
  std::map<std::pair<Incarnation, ScheduleId>, sim::TrueTime> over_at_;  // the last work that it had in hand
  Duration may_lift_after_;
  sim::TrueTime store_clock_changed_ = sim::TrueTime::min();
  std::map<NodeId, sim::TrueTime> looks_at_the_clock_from_;  // its own clock changed then, or it was resumed
  Events failed_;                                            // and not begun again
  std::map<Incarnation, std::vector<sim::TrueTime>> given_away_;  // begun though nothing due was covered
  std::set<Incarnation> is_to_stop_;
};

// ---- leaders ----------------------------------------------------------------------------------------------

struct Leadership {
  Incarnation who;
  sim::TrueTime begin;
  sim::TrueTime end;
  sim::TrueTime waited = begin;   // by design, until then
  sim::TrueTime covered = begin;  // a row, last
  sim::TrueTime looked = begin;   // through the outbox, last
  std::int64_t pages = 0;         // so many it has read since, each behind the one before
  std::uint64_t seen_up_to = 0;   // where the last of them ends
  bool has_ended = false;         // it looked to the end, and has not begun at the beginning again
  bool may_start_over = false;    // it reads what is due anew: pages from the beginning on are new to it
  std::vector<sim::TrueTime> page_times =
      {};                  // when it read them as it read anew, and the last pages of all that it read before
  bool reads_anew = true;  // from the beginning of what is due, until it has looked through the outbox
  sim::TrueTime full = begin;  // all its workers were at work, last
  std::size_t heap = 0;        // so much has waited to be begun since, at most
  // In order: of each version the first slot that is due, and since when.
  std::vector<std::pair<OwnedSlot, sim::TrueTime>> owed = {};
  // Requests to commit, and to set or lift a hold, since the last that succeeded.
  std::vector<sim::TrueTime> commits = {};
  std::vector<sim::TrueTime> holds = {};
  std::vector<const LedgerRow*> rows = {};  // that it covered

  void forget_pages() {
    pages = 0;
    seen_up_to = 0;
    has_ended = may_start_over = false;
  }
};

// Beliefs that follow one another without a gap are one.
std::vector<Leadership> leaderships_of(const History& history) {
  std::vector<Leadership> all;
  for (const Belief& belief : beliefs(history)) {
    const sim::TrueTime end = std::min(belief.end, history.end);
    const auto before = std::find_if(all.rbegin(), all.rend(), [&belief](const Leadership& leadership) {
      return leadership.who == belief.who;
    });
    if (before != all.rend() && before->end == belief.begin)
      before->end = end;
    else
      all.push_back({belief.who, belief.begin, end});
  }
  return all;
}

// From one fact to the next: nothing happens but that the clocks run.
struct Stretch {
  sim::TrueTime begin;
  sim::TrueTime end;
  StoreTime store_begin;
  StoreTime store_end;

  // When a slot is due that is not at its begin.
  sim::TrueTime when(StoreTime due) const {
    return begin + Duration::nanos(mul_div_floor((end - begin).ns(), (due - store_begin).ns(),
                                                 (store_end - store_begin).ns()));
  }
};

Stretch stretch_from(const History& history, std::size_t place) {
  const Kept& first = history.facts[place];
  if (place + 1 == history.facts.size()) return {first.at, history.end, first.store_now, history.end_store};
  const Kept& next = history.facts[place + 1];
  const auto* step = std::get_if<sim::StoreClockStepped>(&next.fact);
  return {first.at, next.at, first.store_now, step != nullptr ? next.store_now - step->by : next.store_now};
}

class Judgement {
 public:
  explicit Judgement(const Case& run)
      : run_(run),
        schedules_(run.history),
        left_(run.history, schedules_),
        by_design_(run, schedules_),
        to_begin_(run) {
    const Parameters& scheduling = run.scenario.scheduling;
    stall_ = scheduling.duration("stall_timeout");
    timeout_ = scheduling.duration("request_timeout");
    retry_ = scheduling.duration("retry_period");
    const auto pages = static_cast<std::int64_t>(run.scenario.schedules.size() / 1000);
    bound_ = stall_ + scheduling.duration("poll_period") +
             std::max(timeout_ * 2, longest_answer(run.scenario) * 8) + timeout_ * 4 * pages + kSlack;
  }

  std::vector<Wrong> wrongs() {
    const History& history = run_.history;
    std::vector<Leadership> leaderships = leaderships_of(history);
    std::vector<Led> led;
    for (const Leadership& leader : leaderships) led.push_back({leader.who, leader.begin, leader.end});
    wrongs_ = left_for_nothing(run_, led, bound_);
    for (std::size_t place = 0; place < history.facts.size(); ++place) {
      left_.see(place);
      by_design_.see(place);
      to_begin_.see(history.facts[place]);
      const Stretch stretch = stretch_from(history, place);
      for (Leadership& leader : leaderships) {
        if (leader.begin >= stretch.end || leader.end <= stretch.begin) continue;
        const bool covered = has_covered(leader.who, place);
        if (covered) leader.covered = stretch.begin;
        if (covered) by_design_.begins_to_count(leader.who);
        if (place == 0 || history.facts[place].at <= leader.begin) by_design_.begins_to_lead(leader.who);
        if (begins_or_goes_on(leader, place)) to_begin_.begins_to_lead(leader.who);
        hear_of_stop(leader, stretch, place);
        follow_sweeps(leader, stretch, place);
        follow(leader, stretch, place);
        follow_work(leader, stretch);
        follow_tries(leader, stretch, place);
        follow_rows(leader, stretch, place);
        if (leader.end <= stretch.end) quarantine(leader, place);
      }
    }
    return std::move(wrongs_);
  }

 private:
  // Also after it stood still.
  bool begins_or_goes_on(const Leadership& leader, std::size_t place) const {
    const Kept& kept = run_.history.facts[place];
    const auto* resumed = std::get_if<sim::NodeResumed>(&kept.fact);
    return place == 0 || kept.at <= leader.begin || (resumed != nullptr && resumed->who == leader.who);
  }
  bool has_covered(Incarnation who, std::size_t place) const {
    const auto* applied = std::get_if<KeptApplied>(&run_.history.facts[place].fact);
    const auto* committed = applied != nullptr ? as_reference<reference::Committed>(applied->reply) : nullptr;
    return committed != nullptr && applied->who == who &&
           std::count(committed->rows.begin(), committed->rows.end(), reference::RowResult::covered) > 0;
  }

  // It tries nothing more. Should it stay without work, the time for that begins now.
  void hear_of_stop(Leadership& leader, const Stretch& stretch, std::size_t place) const {
    const auto* heard = std::get_if<sim::StopHeard>(&run_.history.facts[place].fact);
    if (heard == nullptr || heard->who != leader.who) return;
    leader.waited = leader.looked = stretch.begin;
    leader.forget_pages();
    leader.commits = leader.holds = {};
  }

  void follow_sweeps(Leadership& leader, const Stretch& stretch, std::size_t place) {
    const auto* sent = std::get_if<KeptSubmission>(&run_.history.facts[place].fact);
    if (sent != nullptr && sent->who == leader.who) {
      const auto* due = as_reference<reference::ReadDue>(sent->submission.request);
      const bool begins_anew = due != nullptr && !due->after;
      if (begins_anew && !leader.reads_anew) leader.may_start_over = true;
      leader.reads_anew = leader.reads_anew || begins_anew;
      if (as_reference<reference::CommitFires>(sent->submission.request) != nullptr)
        leader.reads_anew = false;
    }
    const sim::TrueTime end = std::min(stretch.end, leader.end);
    const auto* applied = std::get_if<KeptApplied>(&run_.history.facts[place].fact);
    const auto* page = applied != nullptr && applied->who == leader.who
                           ? as_reference<reference::Outbox>(applied->reply)
                           : nullptr;
    if (page != nullptr && !by_design_.stands_still(leader.who)) {
      const auto* read = as_reference<reference::ReadOutbox>(applied->request);
      to_begin_.shown(leader.who, read != nullptr ? read->after : 0, *page, stretch.begin);
      const std::uint64_t after = read != nullptr ? read->after : 0;
      if (after == 0 && (leader.has_ended || leader.may_start_over)) leader.seen_up_to = 0;
      if (after == 0) leader.has_ended = leader.may_start_over = false;
      const bool leaves_none_out = after <= leader.seen_up_to;
      const bool ends = !page->more || page->events.empty();
      const bool further = leaves_none_out && !ends && page->events.back().seq > leader.seen_up_to;
      if (leader.reads_anew && (further || (leaves_none_out && ends && leader.pages > 0)))
        leader.page_times.push_back(stretch.begin);
      if (further) ++leader.pages;
      if (further) leader.seen_up_to = page->events.back().seq;
      if (leaves_none_out && ends && !leader.has_ended) {
        leader.looked = stretch.begin;
        leader.pages = 0;
        leader.reads_anew = false;
        leader.has_ended = true;
      }
    }
    if (by_design_.stands_still(leader.who) || by_design_.finishes_its_work(leader.who)) {
      leader.looked = end;
      leader.forget_pages();
    }
    // Each page waits for three others' turns, and then for one of runs that were left out; one attempt at the first
    // may fail.
    const std::int64_t attempts = leader.pages * 2 + 2;
    const sim::TrueTime too_long = leader.looked + bound_ + timeout_ * 4 * attempts;
    if (too_long < stretch.begin || too_long >= end) return;
    wrongs_.push_back({too_long, describe(leader.who) + " leads on, and has not looked through the outbox"});
  }
  void follow_work(Leadership& leader, const Stretch& stretch) {
    const sim::TrueTime end = std::min(stretch.end, leader.end);
    leader.heap = std::max(leader.heap, to_begin_.count(leader.who));
    if (by_design_.stands_still(leader.who) || by_design_.has_no_worker(leader.who, stretch.begin)) {
      leader.full = end;
      leader.heap = to_begin_.count(leader.who);
    }
    const std::optional<sim::TrueTime> since = to_begin_.since(leader.who);
    if (!since || by_design_.is_to_stop(leader.who)) return;
    // The leader keeps a thousand; the others come with pages of the outbox, each in its turn.
    const auto pages = static_cast<std::int64_t>(leader.heap / 1000);
    const sim::TrueTime too_long = std::max(*since, leader.full) + bound_ + timeout_ * (1 + 8 * pages);
    if (stretch.begin <= too_long && too_long < end)
      wrongs_.push_back(
          {too_long, describe(leader.who) + " leads on, and does not begin what it is to begin"});
  }

  void follow_tries(Leadership& leader, const Stretch& stretch, std::size_t place) {
    if (by_design_.stands_still(leader.who)) leader.commits = leader.holds = {};
    const Fact& fact = run_.history.facts[place].fact;
    if (const auto* applied = std::get_if<KeptApplied>(&fact);
        applied != nullptr && applied->who == leader.who) {
      const auto* refused = as_reference<reference::CommitRefused>(applied->reply);
      if (as_reference<reference::Committed>(applied->reply) != nullptr ||
          (refused != nullptr && refused->held))
        leader.commits.clear();
      if (as_reference<reference::HoldSet>(applied->reply) != nullptr) leader.holds.clear();
    }
    if (const auto* tried = std::get_if<KeptSubmission>(&fact);
        tried != nullptr && tried->who == leader.who) {
      const Request& request = tried->submission.request;
      if (as_reference<reference::CommitFires>(request) != nullptr) leader.commits.push_back(stretch.begin);
      if (as_reference<reference::SetHold>(request) != nullptr ||
          as_reference<reference::ClearHold>(request) != nullptr)
        follow_hold(leader, stretch.begin);
    }
    for (const std::vector<sim::TrueTime>& tries : {leader.commits, leader.holds}) {
      if (tries.size() < 3) continue;
      // It may make no more of them once it has tried for so long; the third it makes in any case.
      std::size_t last = 0;
      Duration vain;
      while (last < tries.size() && (last < 2 || vain < stall_)) {
        ++last;
        // What lies between two tries is only in part a time in which it could have tried.
        if (last < tries.size())
          vain = vain + std::min(tries[last] - tries[last - 1], Duration::nanos(stall_.ns() / 2));
      }
      if (last == tries.size()) continue;
      const sim::TrueTime too_long = tries[last] + timeout_ + kSlack;
      if (stretch.begin <= too_long && too_long < std::min(stretch.end, leader.end))
        wrongs_.push_back({too_long, describe(leader.who) + " leads on, and has tried three times in vain"});
    }
  }

  // While it is to set or lift a hold, it does not stop asking: after so much silence, this is another hold.
  void follow_hold(Leadership& leader, sim::TrueTime at) const {
    if (!leader.holds.empty() && at - leader.holds.back() > timeout_ + retry_ + kSlack) leader.holds.clear();
    leader.holds.push_back(at);
  }

  void follow_rows(Leadership& leader, const Stretch& stretch, std::size_t place) {
    const std::size_t before = leader.rows.size();
    if (!has_covered(leader.who, place)) return;
    const std::vector<LedgerRow>& rows = schedules_.rows();
    const auto is_before = [](const LedgerRow& row, std::size_t at) { return row.place < at; };
    for (auto row = std::lower_bound(rows.begin(), rows.end(), place, is_before);
         row != rows.end() && row->place == place; ++row)
      leader.rows.push_back(&*row);
    if (clock_jumped(decided_at(run_.history, place), place)) return;  // a row may not be due any more
    const std::vector<StoreTime> turns = turns_of(leader.rows);
    const StoreTime turn =
        *std::max_element(turns.begin() + static_cast<std::ptrdiff_t>(before), turns.end());
    for (const auto& [owned, due] : left_.first_of_each()) {
      const bool readable = by_design_.can_read(leader.who.node, owned.schedule);
      const Overlap overlap = left_.overlap_of(owned);
      const bool in_order =
          overlap == Overlap::allow ||
          (overlap == Overlap::skip && !has_fired(owned.schedule, place, stretch.begin - bound_) &&
           !by_design_.has_worked_for(leader.who, owned.schedule, stretch.begin - bound_));
      if (!readable || !in_order || due >= turn - bound_) continue;
      wrongs_.push_back({stretch.begin, describe(leader.who) + " passes over " + describe(owned.slot)});
    }
  }

  bool clock_jumped(std::size_t from, std::size_t to) const {
    for (std::size_t place = from; place < to; ++place) {
      const Fact& fact = run_.history.facts[place].fact;
      if (std::holds_alternative<sim::StoreClockStepped>(fact) ||
          std::holds_alternative<sim::StoreFailedOver>(fact))
        return true;
    }
    return false;
  }

  // By the fact `place`, since `time`: what it fired it may have to wait for.
  bool has_fired(ScheduleId schedule, std::size_t place, sim::TrueTime time) const {
    const std::vector<LedgerRow>& rows = schedules_.rows();
    return std::any_of(rows.begin(), rows.end(), [&](const LedgerRow& row) {
      return row.row.schedule == schedule && row.was_to_fire && row.place <= place && row.at >= time;
    });
  }

  void follow(Leadership& leader, const Stretch& stretch, std::size_t place) {
    const sim::TrueTime end = std::min(stretch.end, leader.end);
    note_owed(leader, stretch, place);
    const sim::TrueTime held = by_design_.may_hold_until(leader.who, leader.begin, place);
    if (held > stretch.begin) leader.waited = std::min(end, held);
    if (held >= end) return;
    if (by_design_.waits(leader.who, longest_owed(leader)))
      leader.waited = end;
    else
      look(leader, stretch, end);
  }

  // What was taken back, or had work of its own schedule to wait for.
  bool is_due_anew(const OwnedSlot& slot, std::size_t place) const {
    return std::holds_alternative<sim::StoreFailedOver>(run_.history.facts[place].fact) ||
           left_.overlap_of(slot) == Overlap::queue_one;
  }
  sim::TrueTime shown_since(StoreTime due, std::size_t place) const {
    const std::vector<Kept>& facts = run_.history.facts;
    while (place > 0 && facts[place - 1].store_now >= due) --place;
    if (place == 0) return facts[0].at;
    const Stretch stretch = stretch_from(run_.history, place - 1);
    return due < stretch.store_end ? stretch.when(due) : facts[place].at;
  }
  void note_owed(Leadership& leader, const Stretch& stretch, std::size_t place) {
    std::vector<std::pair<OwnedSlot, sim::TrueTime>> owed;
    auto before = leader.owed.begin();
    for (const auto& [slot, due] : left_.first_of_each()) {
      const bool is_due = due <= stretch.store_begin || due < stretch.store_end;
      if (!is_due || !is_a_reason(leader.who, slot)) continue;
      while (before != leader.owed.end() && before->first < slot) ++before;
      const bool known = before != leader.owed.end() && before->first == slot;
      owed.emplace_back(slot, known                       ? before->second
                              : due > stretch.store_begin ? stretch.when(due)
                              : is_due_anew(slot, place)  ? stretch.begin
                                                          : shown_since(due, place));
    }
    leader.owed = std::move(owed);
  }
  // Since when a slot has been due and nothing covered.
  std::optional<sim::TrueTime> longest_owed(const Leadership& leader) const {
    std::optional<sim::TrueTime> longest;
    for (const auto& [slot, since] : leader.owed) {
      const bool counts_rows = by_design_.can_read(leader.who.node, slot.schedule);
      const sim::TrueTime from = std::max(since, counts_rows ? leader.covered : leader.waited);
      longest = std::min(longest.value_or(from), from);
    }
    return longest;
  }
  void look(const Leadership& leader, const Stretch& stretch, sim::TrueTime end) {
    for (const auto& [slot, since] : leader.owed) {
      const bool counts_rows = by_design_.can_read(leader.who.node, slot.schedule);
      const sim::TrueTime from = counts_rows ? std::max(leader.waited, leader.covered) : leader.waited;
      const sim::TrueTime counts_from = std::max(since, from);
      // Until it has read what was committed before, it commits nothing.
      const auto pages = std::count_if(leader.page_times.begin(), leader.page_times.end(),
                                       [&](sim::TrueTime read) { return read > counts_from; });
      const sim::TrueTime too_long = counts_from + bound_ + timeout_ * pages;
      if (stretch.begin <= too_long && too_long < end)
        wrongs_.push_back(
            {too_long, describe(leader.who) + " leads on, and " + describe(slot.slot) + " waits"});
    }
  }

  bool is_a_reason(Incarnation who, const OwnedSlot& owned) const {
    if (left_.overlap_of(owned) == Overlap::queue_one && by_design_.works_for(who, owned.schedule))
      return false;
    return by_design_.can_read(who.node, owned.schedule) ||
           quarantined_.count({who, owned.schedule, owned.version}) == 0;
  }

  // It has let others try what it cannot read, and need not do so again.
  void quarantine(const Leadership& leader, std::size_t place) {
    if (leader.end - leader.begin < stall_ - kSlack) return;
    for (const ScheduleId schedule : schedules_.ids())
      if (!by_design_.can_read(leader.who.node, schedule))
        for (const Version& version : schedules_.versions(schedule, place))
          quarantined_.insert({leader.who, schedule, version.number});
  }

  const Case& run_;
  ScheduleHistory schedules_;
  LeftToDo left_;
  ByDesign by_design_;
  ToBegin to_begin_;
  Duration stall_;
  Duration timeout_;
  Duration retry_;
  Duration bound_;
  std::set<std::tuple<Incarnation, ScheduleId, std::uint32_t>> quarantined_;
  std::vector<Wrong> wrongs_;
};

}  // namespace

std::vector<Wrong> no_stuck_leader(const Case& run) {
  const Parameters& scheduling = run.scenario.scheduling;
  // A leader that never steps aside has promised nothing.
  if (scheduling.find("stall_timeout") < 0 || scheduling.duration("stall_timeout") == Duration{}) return {};
  return Judgement(run).wrongs();
}

}  // namespace tenure::judging
