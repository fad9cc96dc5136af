#include "tests/judge/turns.h"

#include <algorithm>
#include <set>

#include "core/base/int128.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::Disposition;

constexpr Duration kMuchLater = Duration::seconds(10);

// A slot with a late jitter holds up those that come after it.
StoreTime turn_of(const Version& version, StoreTime slot) {
  const StoreTime from = std::max(version.begin, slot - version.definition.jitter.max);
  StoreTime turn = StoreTime::min();
  for (const StoreTime before : slots_between(version.definition, from, slot + Duration::micros(1)))
    turn = std::max(turn, due_of(version.definition, version.schedule, before));
  return turn;
}

// What each node has at work, and how much it was when the node sent its last commit.
class AtWork {
 public:
  void see(const Fact& fact) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact)) {
      events_[asked->who].insert(asked->item.event);
    } else if (const auto* landed = std::get_if<KeptLanding>(&fact)) {
      if (landed->landing != sim::DeliveryOutcome::begun) events_[landed->who].erase(landed->item.event);
    } else if (const auto* ended = std::get_if<KeptEnding>(&fact)) {
      events_[ended->who].erase(ended->item.event);
    } else if (const auto* died = std::get_if<sim::NodeDied>(&fact)) {
      events_.erase(died->who);
    } else if (const auto* sent = std::get_if<KeptSubmission>(&fact)) {
      if (as_reference<reference::CommitFires>(sent->submission.request) != nullptr)
        commits_[sent->who] = {sent->id, now(sent->who)};
    }
  }
  std::int64_t now(Incarnation who) const {
    const auto events = events_.find(who);
    return events != events_.end() ? static_cast<std::int64_t>(events->second.size()) : 0;
  }
  // 0 unless it is the commit that was sent last.
  std::int64_t when_sent(const KeptApplied& commit) const {
    const auto sent = commits_.find(commit.who);
    return sent != commits_.end() && sent->second.first == commit.id ? sent->second.second : 0;
  }

 private:
  std::map<Incarnation, std::set<reference::EventId>> events_;
  std::map<Incarnation, std::pair<RequestId, std::int64_t>> commits_;  // sent last, and what was at work then
};

}  // namespace

std::vector<StoreTime> turns_of(const std::vector<const LedgerRow*>& rows) {
  std::vector<StoreTime> turns;
  const reference::LedgerRow* before = nullptr;
  for (const LedgerRow* covered : rows) {
    const reference::LedgerRow& row = covered->row;
    const bool goes_on = before != nullptr && before->what != Disposition::fired &&
                         before->schedule == row.schedule && before->version == row.version &&
                         before->to == row.from;
    const bool one = row.what == Disposition::fired && row.slots == 1;
    turns.push_back(goes_on ? turns.back() : one ? row.slot : row.from);
    before = &row;
  }
  return turns;
}

Turns::Turns(const Case& run, const ScheduleHistory& schedules)
    : turn_(sim::longest_turn(run.scenario)),
      departure_(run.scenario.departure.max()),
      end_(run.history.end) {
  const Parameters& scheduling = run.scenario.scheduling;
  if (scheduling.find("max_running") >= 0) most_ = scheduling.number("max_running");
  if (scheduling.find("batch") >= 0) batch_ = scheduling.number("batch");
  if (scheduling.find("poll_period") >= 0)
    long_ = long_ + scheduling.duration("poll_period") + scheduling.duration("request_timeout") * 2;
  see_workers(run);
  see_full_commits(run);
  see_fires(run, schedules);
}

void Turns::see_workers(const Case& run) {
  AtWork at_work;
  std::map<Incarnation, std::pair<RequestId, sim::TrueTime>> commits;  // sent last
  std::optional<Incarnation> leader;
  std::optional<Token> newest;
  const auto leads = [&](Incarnation who, const std::optional<Token>& shown) {
    if (shown && newest && shown->older_than(*newest)) return;
    if (shown) newest = shown;
    leader = who;
  };
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    at_work.see(kept.fact);
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      leads(asked->who, asked->item.token);
      asked_[asked->item.event] = place;
    } else if (const auto* sent = std::get_if<KeptSubmission>(&kept.fact)) {
      if (as_reference<reference::CommitFires>(sent->submission.request) != nullptr)
        commits[sent->who] = {sent->id, kept.at};
    } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      const auto commit = commits.find(applied->who);
      const auto* committed = as_reference<reference::Committed>(applied->reply);
      const auto* asked_for = as_reference<reference::CommitFires>(applied->request);
      if (committed == nullptr || asked_for == nullptr || leader != applied->who) continue;
      if (commit == commits.end() || commit->second.first != applied->id) continue;
      std::int64_t fires = 0;
      for (std::size_t i = 0; i < committed->rows.size(); ++i)
        if (committed->rows[i] == reference::RowResult::covered &&
            asked_for->rows[i].what == Disposition::fired)
          ++fires;
      waited_.push_back({commit->second.second, kept.at, fires});
    } else if (const auto* noted = std::get_if<KeptNote>(&kept.fact)) {
      if (const auto* believes = std::get_if<Believes>(&noted->note)) leads(noted->who, believes->token);
    }
    if (leader) workers_[kept.at] = at_work.now(*leader);
  }
}

void Turns::see_fires(const Case& run, const ScheduleHistory& schedules) {
  const std::size_t last = run.history.facts.size();
  std::size_t heal = last;
  for (std::size_t place = 0; place < last; ++place)
    if (std::holds_alternative<sim::Healed>(run.history.facts[place].fact)) heal = place;
  std::map<reference::EventId, const LedgerRow*> committed;
  std::vector<const LedgerRow*> rows;
  for (const LedgerRow& row : schedules.rows()) {
    if (!schedules.holds(row.place, last)) continue;
    if (row.row.what == Disposition::fired) committed[{row.row.schedule, row.row.slot, 0}] = &row;
    if (row.place > heal) rows.push_back(&row);
  }
  const std::vector<StoreTime> turns = turns_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) turns_.emplace_back(rows[i]->at, turns[i]);
  in_hand_ = work_in_hand(run.history);
  std::size_t fires_had_a_turn = 0;
  for (const LedgerRow& row : schedules.rows()) fires_had_a_turn = std::max(fires_had_a_turn, row.place);
  std::set<reference::EventId> begun;
  for (std::size_t place = 0; place < last; ++place) {
    const auto* landed = std::get_if<KeptLanding>(&run.history.facts[place].fact);
    if (landed == nullptr || landed->landing != sim::DeliveryOutcome::begun) continue;
    const sim::TrueTime at = run.history.facts[place].at;
    if (landed->item.event.run != 0) run_begun_ = at;
    const auto commit = committed.find(landed->item.event);
    const bool was_committed = commit != committed.end() && commit->second->place < place;
    if (was_committed && !begun.contains(landed->item.event))
      fires_had_a_turn = std::max(fires_had_a_turn, place);
    else if (place > heal)
      others_.push_back(at);
    if (!schedules.holds(place, last) || !begun.insert(landed->item.event).second) continue;
    if (was_committed)
      latest_begun_ = std::max(latest_begun_.value_or(commit->second->at), commit->second->at);
  }
  if (last > 0)
    std::erase_if(others_, [turn = run.history.facts[std::min(fires_had_a_turn, last - 1)].at](
                               sim::TrueTime at) { return at <= turn; });
}

bool Turns::fires_starve(sim::TrueTime from) const {
  const auto others =
      std::count_if(others_.begin(), others_.end(), [from](sim::TrueTime at) { return at > from; });
  return others - 10 >= 4 * most_;
}

bool Turns::are_taken_between(sim::TrueTime from, sim::TrueTime end) const {
  const sim::TrueTime begin = std::min(from, end - Duration::nanos(1));
  Duration worked;
  for (auto stretch = workers_.begin(); stretch != workers_.end(); ++stretch) {
    const auto next = std::next(stretch);
    const sim::TrueTime to = std::min(next != workers_.end() ? next->first : end, end);
    const sim::TrueTime from_here = std::max(stretch->first, begin);
    if (to > from_here) worked = worked + (to - from_here) * stretch->second;
  }
  for (const Waited& waited : waited_)
    if (waited.to > begin && waited.from < end)
      worked = worked + (std::min(waited.to, end) - std::max(waited.from, begin)) * waited.workers;
  return int128{worked.ns()} * 2 >= int128{(end - begin).ns()} * most_;
}

// How many workers had work as a commit was sent is counted anew for each commit.
void Turns::see_full_commits(const Case& run) {
  bool healed = false;
  AtWork at_work;
  for (const Kept& kept : run.history.facts) {
    at_work.see(kept.fact);
    if (std::holds_alternative<sim::Healed>(kept.fact)) healed = true;
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (!healed || applied == nullptr) continue;
    const auto* asked_for = as_reference<reference::CommitFires>(applied->request);
    const auto* committed = as_reference<reference::Committed>(applied->reply);
    if (asked_for == nullptr || committed == nullptr) continue;
    std::int64_t rows = 0, fires = 0;
    for (std::size_t i = 0; i < committed->rows.size(); ++i) {
      if (committed->rows[i] != reference::RowResult::covered) continue;
      ++rows;
      if (asked_for->rows[i].what == Disposition::fired) ++fires;
    }
    bool full = rows > 0 && rows * 2 >= batch_;
    if (!full && fires > 0) {
      const std::int64_t free = std::max<std::int64_t>(most_ - at_work.when_sent(*applied), 1);
      full = fires * 2 >= std::min(batch_, free);
    }
    if (full) full_.push_back({kept.at, fires});
  }
}

bool Turns::go_on(sim::TrueTime from, Duration late) const {
  Duration allowed = late;
  sim::TrueTime latest = sim::TrueTime::min();
  for (const Full& commit : full_) {
    latest = std::max(latest, commit.at);
    if (commit.at > from) allowed = allowed + (turn_ - Duration::seconds(1)) + departure_ * commit.fires;
  }
  return !full_.empty() && latest >= end_ - turn_ * 2 && end_ - from <= allowed;
}

bool Turns::was_passed_over(const Version& version, StoreTime slot, Duration later) const {
  sim::TrueTime waited_until = sim::TrueTime::min();
  if (version.definition.overlap == Overlap::queue_one)
    for (const InHand& work : in_hand_)
      if (work.event.schedule == version.schedule)
        waited_until = std::max(waited_until, std::min(work.to, end_));
  const StoreTime turn = turn_of(version, slot) + later;
  return std::any_of(turns_.begin(), turns_.end(), [&](const auto& covered) {
    return covered.first > waited_until && turn < covered.second - long_;
  });
}

bool Turns::was_passed_over(const LedgerRow& fired) const {
  const auto asked = asked_.find({fired.row.schedule, fired.row.slot, 0});
  const bool was_asked = asked != asked_.end() && asked->second > fired.place;
  return !was_asked && latest_begun_ && fired.at + kMuchLater < *latest_begun_;
}

}  // namespace tenure::judging
