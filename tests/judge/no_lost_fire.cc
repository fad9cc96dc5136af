// Every slot that came due by the heal is accounted for when the run is over, on the branch of the store that survived:
// a ledger row speaks for it and, where that row fired, its work began; or a delete left it. So is each manual run.
// Where no ledger is kept, the work of each slot began.
//
// A slot that had come due stays owed when the store's clock is set back before the heal, if later ones of its schedule
// were handled: it was passed over. Without a ledger that takes that it had been due for a while without a break, as
// does owing a slot whose schedule was deleted (docs/adr/0019-checkers-forget-nothing.md).
//
// And a row that gives slots up may do so: it is of late slots, of a pause, or of slots that met work, as the
// definition says.
#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/kinds.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

using house::Disposition;

// By how much a leader's reading of the store's clock may be ahead of it, undisturbed.
constexpr Duration kReading = Duration::seconds(1);
// How long a slot must have been due for somebody to have handled it.
constexpr Duration kGrace = Duration::seconds(10);

struct Owing {
  const Case& run;
  Book book;
  std::map<house::EventId, sim::TrueTime> begun;
  std::vector<InHand> in_hand;
  bool ledger = false;
  std::size_t heal = 0;  // its place
  StoreTime owed_to;     // what was due then is owed
  std::vector<Wrong> wrongs;

  std::size_t last() const { return run.history.facts.size(); }
};

// The latest time that the store's clock had shown by each fact: a leader may believe no later one.
std::vector<StoreTime> latest_readings(const History& history) {
  std::vector<StoreTime> all;
  StoreTime latest = StoreTime::min();
  for (const Kept& kept : history.facts) all.push_back(latest = std::max(latest, kept.store_now));
  return all;
}

// Had the store's clock shown `due`, or more, for a whole `length` without a break, in the facts before `place`?
bool due_for(const History& history, StoreTime due, std::size_t place, Duration length) {
  bool is_due = false;
  sim::TrueTime since;
  for (std::size_t i = 0; i <= place; ++i) {
    const auto& fact = history.facts[i];
    if (!is_due && fact.store_now >= due) since = fact.at;
    is_due = is_due || fact.store_now >= due;
    if (is_due && fact.at - since >= length) return true;
    is_due = fact.store_now >= due;
  }
  return false;
}

bool had_work_in_hand(const Owing& owing, const LedgerRow& row, StoreTime due) {
  return std::any_of(owing.in_hand.begin(), owing.in_hand.end(), [&](const InHand& work) {
    return work.event.schedule == row.row.schedule && work.from <= row.at &&
           (work.to >= row.at || work.to_store + kReading >= due);
  });
}

// Why a slot must not have been given up like this; empty when it may.
std::string against(const Owing& owing, const LedgerRow& row, const Version& version, StoreTime slot,
                    StoreTime latest) {
  const Definition& definition = version.definition;
  const StoreTime due = due_of(definition, version.schedule, slot);
  const Misfire& misfire = definition.misfire;
  const Duration late = latest + kReading - due;
  switch (row.row.what) {
    case Disposition::fired:
      if (row.row.slots == 1 || slot == row.row.slot) return {};
      if (misfire.policy != Misfire::Policy::fire_once)
        return "is coalesced, which its definition does not allow";
      return late > misfire.grace ? "" : "is coalesced, and was not late";
    case Disposition::missed:
      if (definition.paused) return "is missed and was to be paused";
      if (late <= misfire.grace) return "is missed, and was not late";
      if (misfire.policy == Misfire::Policy::skip || latest + kReading - slot > misfire.catchup_window)
        return {};
      if (misfire.policy == Misfire::Policy::fire_all && misfire.max_catchup != Misfire::kNoLimit) {
        const auto later =
            slots_between(definition, slot + Duration::micros(1), std::min(latest + kReading, version.end));
        std::int64_t late_ones = 0;
        for (const StoreTime other : later)
          if (latest + kReading - due_of(definition, version.schedule, other) > misfire.grace) ++late_ones;
        if (late_ones >= misfire.max_catchup) return {};
      }
      return "is missed, which its definition does not allow";
    case Disposition::paused: return definition.paused ? "" : "is recorded as paused";
    case Disposition::overlapped:
      if (definition.overlap == Overlap::allow) return "is overlapped, which its definition does not allow";
      return had_work_in_hand(owing, row, due) ? "" : "is overlapped, and no work was in hand";
    case Disposition::coalesced:
    case Disposition::deleted: return "is given up by a word that is the store's own";
  }
  return {};
}

void judge_rows(Owing& owing) {
  const std::vector<StoreTime> latest_by = latest_readings(owing.run.history);
  for (const LedgerRow& row : owing.book.rows()) {
    const std::optional<Version> version = owing.book.version_of(row);
    if (!version) continue;
    if (row.row.what == Disposition::fired && row.row.slots == 1) continue;
    // Of a definition that its writer cannot read, a row that gives it up counts no slots (docs/adr/0017). Who can read
    // what is not looked at here.
    if (row.row.what == Disposition::missed && row.row.slots == 0) continue;
    const auto speaks_for = static_cast<std::int64_t>(slots_of(row, *version).size());
    if (speaks_for != row.row.slots && (speaks_for > 0 || row.row.slots > 1))
      owing.wrongs.push_back({row.at, "a row of " + describe(row.row.from) + " miscounts its slots"});
    const StoreTime latest = latest_by[row.place];
    for (const StoreTime slot : slots_of(row, *version))
      if (const std::string why = against(owing, row, *version, slot, latest); !why.empty())
        owing.wrongs.push_back({row.at, describe(slot) + " " + why});
  }
}

void judge_slot_with_ledger(Owing& owing, const Version& version, StoreTime slot,
                            const std::vector<const LedgerRow*>& rows) {
  const LedgerRow* covering = nullptr;
  StoreTime cursor = version.begin;
  for (const LedgerRow* row : rows) {
    const bool own = row->row.what == Disposition::fired && row->row.slots == 1;
    if (own ? row->row.slot == slot : row->row.from <= slot && slot < row->row.to) covering = row;
    if (!version.deleted || row->place < version.deleted_at) cursor = std::max(cursor, row->row.to);
  }
  const sim::TrueTime end = owing.run.history.end;
  if (covering == nullptr) {
    if (version.deleted && slot >= cursor) return;
    if (waits_for_work(owing.in_hand, version, owing.run.history.end)) return;
    owing.wrongs.push_back({end, describe(slot) + " is in no row"});
  } else if (covering->row.what == Disposition::fired) {
    if (owing.begun.count({version.schedule, covering->row.slot, 0}) == 0)
      owing.wrongs.push_back({end, describe(slot) + " was committed, and its work never began"});
  }
}

// Is the slot, which had been due before the heal and is not due at it, one that its schedule left behind?
bool passed_over(const Owing& owing, ScheduleId schedule, StoreTime slot, StoreTime due,
                 const std::vector<const LedgerRow*>& rows) {
  if (owing.ledger)
    return std::any_of(rows.begin(), rows.end(), [slot](const LedgerRow* row) { return row->row.to > slot; });
  const bool later = std::any_of(owing.begun.begin(), owing.begun.end(), [&](const auto& begun) {
    return begun.first.schedule == schedule && begun.first.run == 0 && begun.first.slot > slot;
  });
  return later && due_for(owing.run.history, due, owing.heal, kGrace);
}

void judge_slots(Owing& owing) {
  const StoreTime latest = latest_readings(owing.run.history)[owing.heal];
  std::map<std::pair<ScheduleId, std::uint32_t>, std::vector<const LedgerRow*>> rows;
  for (const LedgerRow& row : owing.book.rows())
    if (owing.book.holds(row.place, owing.last())) rows[{row.row.schedule, row.row.version}].push_back(&row);
  for (const ScheduleId schedule : owing.book.schedules()) {
    bool deleted = false;
    const std::vector<Version> versions = owing.book.versions(schedule, owing.last());
    for (const Version& version : versions) deleted = deleted || version.deleted;
    for (Version version : versions) {
      if (deleted && !version.deleted) {
        version.deleted = true;  // what earlier versions left is recorded as deleted as well
        version.deleted_at = versions.back().deleted_at;
      }
      const Definition& definition = version.definition;
      for (const StoreTime slot :
           slots_between(definition, version.begin, std::min(version.end, latest + Duration::micros(1)))) {
        const StoreTime due = owing.ledger ? due_of(definition, schedule, slot) : slot;
        if (due > latest) continue;
        if (due > owing.owed_to && !passed_over(owing, schedule, slot, due, rows[{schedule, version.number}]))
          continue;
        if (!owing.ledger && version.deleted && !due_for(owing.run.history, due, version.deleted_at, kGrace))
          continue;
        if (owing.ledger) {
          judge_slot_with_ledger(owing, version, slot, rows[{schedule, version.number}]);
        } else if (!definition.paused && definition.misfire.policy == Misfire::Policy::fire_all &&
                   owing.begun.count({schedule, slot, 0}) == 0) {
          owing.wrongs.push_back({owing.run.history.end, describe(slot) + " was never executed"});
        }
      }
    }
  }
}

// Until its work is over an event stays in the outbox: who takes it out before would lose it as it dies.
void judge_acknowledgements(Owing& owing) {
  enum class State { asked, running, over };
  std::map<std::pair<Incarnation, house::EventId>, State> known;
  for (const Kept& kept : owing.run.history.facts) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      known[{asked->who, asked->item.event}] = State::asked;
    } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      const bool begun = landed->landing == sim::Landing::begun;
      const bool over = landed->landing == sim::Landing::duplicate;
      known[{landed->who, landed->item.event}] = begun ? State::running : over ? State::over : State::asked;
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      known[{ended->who, ended->item.event}] = State::over;
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      const auto* ack = as_house<house::AckEvents>(submitted->submission.request);
      if (ack == nullptr || !owing.ledger) continue;
      for (const house::EventId& event : ack->events) {
        const auto found = known.find({submitted->who, event});
        if (found != known.end() && found->second != State::over)
          owing.wrongs.push_back({kept.at, describe(event) + " is acknowledged before its work is over"});
      }
    }
  }
}

void judge_manual_runs(Owing& owing) {
  for (const ManualRun& run : owing.book.manual_runs())
    if (run.place < owing.heal && owing.book.holds(run.place, owing.last()) &&
        owing.begun.count(run.event) == 0)
      owing.wrongs.push_back({owing.run.history.end, describe(run.event) + " was never executed"});
}

}  // namespace

std::vector<Wrong> no_lost_fire(const Case& run) {
  Owing owing{.run = run,
              .book = Book(run.history),
              .begun = begun_work(run.history),
              .in_hand = work_in_hand(run.history),
              .ledger = run.scenario.scheduler->keeps_ledger,
              .heal = 0,
              .owed_to = {},
              .wrongs = {}};
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    if (!std::holds_alternative<sim::Healed>(run.history.facts[place].fact)) continue;
    owing.heal = place;
    owing.owed_to = run.history.facts[place].store_now;
  }
  judge_rows(owing);
  judge_slots(owing);
  judge_manual_runs(owing);
  judge_acknowledgements(owing);
  return owing.wrongs;
}

}  // namespace tenure::judging
