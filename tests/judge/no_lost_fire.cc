// What can lose a slot for good, and is known when it happens:
//
// 1. A row gives slots up that it may not: they are late, paused, or met work, as the definition says, and it counts
//    them. What others deliver is overlapped by what is there of it, as the store says.
// 2. An event is taken from the outbox before its work is over: it would be lost if its leader died. While anybody is
//    at it, it may still fail, and nobody's word makes it done.
// 3. A slot is passed over: it was due by the heal, later ones of its version are in rows, on the branch of the store
//    that survived, and it is in none. Where no ledger is kept: its work never began, and that of a later one did.
//
// What is due and waits is not lost yet: that it fires in the end is the checker's to say, as are the fires that a
// policy forbids, and what waits under queue_one.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "tests/judge/delivery_model.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::Disposition;

// By how much a leader's reading of the store's clock may be ahead of it, undisturbed.
constexpr Duration kReading = Duration::seconds(1);

// ---- 1: rows ----

// Work that an instance had asked for and had not told the store of: from the request until the acknowledgement that
// it submitted, or its death.
struct InHand {
  reference::EventId event;
  Incarnation who;
  sim::TrueTime from;
  sim::TrueTime to = sim::TrueTime::max();
  StoreTime to_store = StoreTime::max();  // the store's clock then
};
std::vector<InHand> work_in_hand(const History& history) {
  std::vector<InHand> all;
  std::map<std::pair<Incarnation, reference::EventId>, std::size_t> open;
  const auto close = [&](std::size_t which, const Kept& kept) {
    all[which].to = kept.at;
    all[which].to_store = kept.store_now;
  };
  for (const Kept& kept : history.facts) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      if (!open.try_emplace({asked->who, asked->item.event}, all.size()).second) continue;
      all.push_back({asked->item.event, asked->who, kept.at});
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      for (const reference::EventId& event : taken_by(submitted->submission.request)) {
        const auto found = open.find({submitted->who, event});
        if (found == open.end()) continue;
        close(found->second, kept);
        open.erase(found);
      }
    } else if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact)) {
      for (auto it = open.begin(); it != open.end();) {
        if (it->first.first != died->who) {
          ++it;
          continue;
        }
        close(it->second, kept);
        it = open.erase(it);
      }
    }
  }
  return all;
}

bool may_be_missed(const Version& version, StoreTime slot, StoreTime latest) {
  const Definition& definition = version.definition;
  const Misfire& misfire = definition.misfire;
  if (misfire.policy == Misfire::Policy::skip || latest - slot > misfire.catchup_window) return true;
  if (misfire.policy != Misfire::Policy::fire_all) return false;
  std::int64_t late = 0;
  for (const StoreTime other :
       slots_between(definition, slot + Duration::micros(1), std::min(latest, version.end)))
    if (latest - due_time(definition, version.schedule, other) > misfire.grace) ++late;
  return late >= misfire.catchup_limit();
}

bool had_work_in_hand(const std::vector<InHand>& in_hand, const LedgerRow& row, StoreTime due) {
  return std::any_of(in_hand.begin(), in_hand.end(), [&](const InHand& work) {
    return work.event.schedule == row.row.schedule && work.from <= row.at &&
           (work.to >= row.at || work.to_store + kReading >= due);
  });
}

// Why a slot must not have been given up like this; empty when it may. `latest`: the store's clock had shown no more,
// and a leader may have believed no later time.
std::string against(const std::vector<InHand>& in_hand, const LedgerRow& row, const Version& version,
                    StoreTime slot, StoreTime latest) {
  const Definition& definition = version.definition;
  const StoreTime due = due_time(definition, version.schedule, slot);
  const bool is_late = latest - due > definition.misfire.grace;
  switch (row.row.what) {
    case Disposition::fired:
      if (row.row.slots == 1 || slot == row.row.slot) return {};
      if (definition.misfire.policy != Misfire::Policy::fire_once) return "is coalesced, and may not be";
      return is_late ? "" : "is coalesced, and was not late";
    case Disposition::missed:
      if (definition.paused) return "is missed and was to be paused";
      if (!is_late) return "is missed, and was not late";
      return may_be_missed(version, slot, latest) ? "" : "is missed, which its definition does not allow";
    case Disposition::paused: return definition.paused ? "" : "is recorded as paused";
    case Disposition::overlapped:
      if (definition.paused) return "is overlapped and was to be paused";
      if (definition.overlap == Overlap::allow) return "is overlapped, which its definition does not allow";
      if (!has_own_work(version)) return {};  // the store knows what is under way
      return had_work_in_hand(in_hand, row, due) ? "" : "is overlapped, and no work was in hand";
    case Disposition::coalesced:
    case Disposition::deleted:
    case Disposition::replaced: return "is given up by a word that is the store's own";
  }
  return {};
}

void judge_rows(const Case& run, const ScheduleHistory& schedules, std::vector<Wrong>& wrongs) {
  const std::vector<InHand> in_hand = work_in_hand(run.history);
  std::size_t place = 0;
  StoreTime latest = StoreTime::min();
  for (const LedgerRow& row : schedules.rows()) {
    for (; place <= row.place; ++place) latest = std::max(latest, run.history.facts[place].store_now);
    const std::optional<Version> version = schedules.version_of(row);
    if (!version || (row.row.what == Disposition::fired && row.row.slots == 1)) continue;
    if (is_of_unread(run.history, row)) continue;
    const std::vector<StoreTime> slots = slots_of(row, *version);
    if (static_cast<std::int64_t>(slots.size()) != row.row.slots)
      wrongs.push_back({row.at, "a row of " + describe(row.row.from) + " miscounts its slots"});
    for (const StoreTime slot : slots)
      if (const std::string why = against(in_hand, row, *version, slot, latest + kReading); !why.empty())
        wrongs.push_back({row.at, describe(slot) + " " + why});
  }
}

// Of versions whose events others deliver. Manual runs and events of other versions count; those of the leader's own
// work do not.
void judge_overlaps(const Case& run, std::vector<Wrong>& wrongs) {
  follow(run, false, [&](const Kept& kept, std::size_t, const KeptApplied& applied, DeliveryModel& store) {
    const auto* commit = as_reference<reference::CommitFires>(applied.request);
    const auto* committed = as_reference<reference::Committed>(applied.reply);
    if (commit == nullptr || committed == nullptr) return;
    std::map<ScheduleId, std::size_t> more;
    for (std::size_t i = 0; i < commit->rows.size() && i < committed->rows.size(); ++i) {
      const reference::LedgerRow& row = commit->rows[i];
      const Rules rules = store.rules_of(row.schedule, row.version);
      if (rules.is_own_work()) continue;
      const std::size_t there = store.count(row.schedule) + more[row.schedule];
      std::size_t most = SIZE_MAX;  // beside which it may fire
      if (rules.overlap == Overlap::skip) most = 0;
      if (rules.overlap == Overlap::queue_one) most = 1;
      const bool is_written = committed->rows[i] == reference::RowResult::covered;
      const bool fires = is_written && row.what == reference::Disposition::fired;
      if (fires && there > most)
        wrongs.push_back({kept.at, describe(row.slot) + " fires, and should not beside what is there"});
      if (committed->rows[i] == reference::RowResult::overlapped && there <= most)
        wrongs.push_back({kept.at, describe(row.slot) + " is overlapped by nothing"});
      if (is_written && row.what == reference::Disposition::overlapped)
        wrongs.push_back({kept.at, describe(row.from) + " is overlapped by its leader's word"});
      if (fires) ++more[row.schedule];
    }
  });
}

// ---- 2: what is taken from the outbox ----

void judge_acknowledgements(const Case& run, std::vector<Wrong>& wrongs) {
  enum class State { asked, running, over };
  std::map<std::pair<Incarnation, reference::EventId>, State> known;
  std::multiset<reference::EventId> at_work;
  const auto waiting = waiting_events(run.history);
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      known[{asked->who, asked->item.event}] = State::asked;
    } else if (const auto* landed = std::get_if<KeptArrival>(&kept.fact)) {
      const bool begun = landed->landing == sim::DeliveryOutcome::begun;
      const bool over =
          landed->landing == sim::DeliveryOutcome::duplicate && !at_work.contains(landed->item.event);
      if (begun) at_work.insert(landed->item.event);
      known[{landed->who, landed->item.event}] = begun ? State::running : over ? State::over : State::asked;
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      known[{ended->who, ended->item.event}] = State::over;
      if (const auto one = at_work.find(ended->item.event); one != at_work.end()) at_work.erase(one);
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      for (const reference::EventId& event : taken_by(submitted->submission.request)) {
        const auto found = known.find({submitted->who, event});
        if (rules_before(waiting, event, place)) continue;  // of others: dead-or-delivered
        if (found != known.end() && found->second != State::over)
          wrongs.push_back({kept.at, describe(event) + " is taken from the outbox before its work is over"});
      }
    }
  }
}

// ---- 3: what is passed over ----

bool is_in(const LedgerRow& row, StoreTime slot) {
  const bool alone = row.row.what == Disposition::fired && row.row.slots == 1;
  return alone ? row.row.slot == slot : row.row.from <= slot && slot < row.row.to;
}

// Up to where slots were handled, and which of these.
struct Handled {
  StoreTime to = StoreTime::min();
  std::vector<const LedgerRow*> rows = {};
  std::set<StoreTime> begun = {};

  bool has(StoreTime slot) const {
    return begun.contains(slot) ||
           std::any_of(rows.begin(), rows.end(), [slot](const LedgerRow* row) { return is_in(*row, slot); });
  }
};

std::set<reference::EventId> begun_work(const History& history) {
  std::set<reference::EventId> begun;
  for (const Kept& kept : history.facts)
    if (const auto* landed = std::get_if<KeptArrival>(&kept.fact);
        landed != nullptr && landed->landing == sim::DeliveryOutcome::begun)
      begun.insert(landed->item.event);
  return begun;
}

Handled handled(const Case& run, const ScheduleHistory& schedules, const Version& version) {
  Handled found;
  if (!run.scenario.scheduler->keeps_ledger) {
    for (const reference::EventId& event : begun_work(run.history)) {
      if (event.schedule != version.schedule || event.run != 0) continue;
      found.begun.insert(event.slot);
      found.to = std::max(found.to, event.slot);
    }
    return found;
  }
  for (const LedgerRow& row : schedules.rows()) {
    if (row.row.schedule != version.schedule || row.row.version != version.number) continue;
    if (!schedules.holds(row.place, run.history.facts.size())) continue;
    found.rows.push_back(&row);
    if (!version.deleted || row.place < version.deleted_at) found.to = std::max(found.to, row.row.to);
  }
  return found;
}

void judge_passed_over(const Case& run, const ScheduleHistory& schedules, std::vector<Wrong>& wrongs) {
  const bool ledger = run.scenario.scheduler->keeps_ledger;
  StoreTime owed = StoreTime::min();
  for (const Kept& kept : run.history.facts)
    if (std::holds_alternative<sim::Healed>(kept.fact)) owed = kept.store_now;
  for (const ScheduleId schedule : schedules.ids()) {
    const std::vector<Version> versions = schedules.versions(schedule, run.history.facts.size());
    for (Version version : versions) {
      if (versions.back().deleted &&
          !version.deleted) {  // what earlier ones left is recorded as deleted as well
        version.deleted = true;
        version.deleted_at = versions.back().deleted_at;
      }
      const bool fires_all = version.definition.misfire.policy == Misfire::Policy::fire_all;
      if (!ledger && (version.deleted || version.definition.paused || !fires_all)) continue;
      const Handled done = handled(run, schedules, version);
      for (const StoreTime slot :
           slots_between(version.definition, version.begin, std::min(version.end, done.to))) {
        if (done.has(slot) || due_time(version.definition, schedule, slot) > owed) continue;
        wrongs.push_back({run.history.end, describe(slot) + " was passed over"});
      }
    }
  }
}

}  // namespace

std::vector<Wrong> no_lost_fire(const Case& run) {
  const ScheduleHistory schedules(run.history);
  std::vector<Wrong> wrongs;
  judge_rows(run, schedules, wrongs);
  judge_overlaps(run, wrongs);
  if (run.scenario.scheduler->keeps_ledger) judge_acknowledgements(run, wrongs);
  judge_passed_over(run, schedules, wrongs);
  return wrongs;
}

}  // namespace tenure::judging
