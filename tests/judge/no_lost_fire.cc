// Every slot that came due by the heal is accounted for when the run is over, on the branch of the store that survived:
// a ledger row speaks for it and, where that row fired, its work began; or a delete left it. So is each manual run.
// Where no ledger is kept, the work of each slot began. One that may be given up as late began if there was time for it
// within its grace, or if it is what is left of late ones: `Late slots without a ledger`, below.
//
// A slot that had come due stays owed when the store's clock is set back before the heal, if later ones of its schedule
// were handled: it was passed over. Without a ledger that takes that it had been due for a while without a break, as
// does owing a slot whose schedule was deleted (docs/adr/0019-checkers-forget-nothing.md).
//
// And a row that gives slots up may do so: it is of late slots, of a pause, or of slots that met work, as the
// definition says.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/executions.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/quiet.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"
#include "tests/judge/turns.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

using reference::Disposition;

// By how much a leader's reading of the store's clock may be ahead of it, undisturbed.
constexpr Duration kReading = Duration::seconds(1);
// How long a slot must have been due for somebody to have handled it.
constexpr Duration kGrace = Duration::seconds(10);

struct Owing {
  const Case& run;
  ScheduleHistory schedules;
  std::map<reference::EventId, sim::TrueTime> begun;
  std::vector<InHand> in_hand;
  bool ledger = false;
  std::size_t heal = 0;            // its place
  StoreTime owed_to;               // what was due then is owed
  Duration turn = {};              // what is due waits no longer for a commit
  bool workers_are_taken = false;  // at the end
  bool commits_go_on = false;      // what was due at the heal takes more of them
  std::optional<Turns> turns = {};
  // Of queue_one: what came while another waited, which fired long before the heal while its leader has more in hand.
  std::map<std::pair<ScheduleId, std::uint32_t>, StoreTime> came_beside;
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
      if (misfire.policy == Misfire::Policy::fire_all) {
        const std::int64_t most = misfire.max_catchup == Misfire::kUnsaid ? 100 : misfire.max_catchup;
        const auto later =
            slots_between(definition, slot + Duration::micros(1), std::min(latest + kReading, version.end));
        std::int64_t late_ones = 0;
        for (const StoreTime other : later)
          if (latest + kReading - due_of(definition, version.schedule, other) > misfire.grace) ++late_ones;
        if (late_ones >= most) return {};
      }
      return "is missed, which its definition does not allow";
    case Disposition::paused: return definition.paused ? "" : "is recorded as paused";
    case Disposition::overlapped:
      if (definition.paused) return "is overlapped and was to be paused";
      if (definition.overlap == Overlap::allow) return "is overlapped, which its definition does not allow";
      if (!has_own_work(version)) return {};  // the store knows what is under way
      return had_work_in_hand(owing, row, due) ? "" : "is overlapped, and no work was in hand";
    case Disposition::coalesced:
    case Disposition::deleted:
    case Disposition::replaced: return "is given up by a word that is the store's own";
  }
  return {};
}

// ---- queue_one ---------------------------------------------------------------------------------------------

// The latest due time among the single fires that are asked for: its leader had seen what was due before that.
StoreTime latest_due(const Owing& owing, const reference::CommitFires& commit, std::size_t place) {
  StoreTime latest = StoreTime::min();
  for (const reference::LedgerRow& row : commit.rows)
    for (const Version& version : owing.schedules.versions(row.schedule, place))
      if (version.number == row.version && row.what == Disposition::fired && row.slots == 1)
        latest = std::max(latest, due_of(version.definition, row.schedule, row.slot));
  return latest;
}

// Something after which a leader may not know any more what waited: it reads anew, or the store did not do as asked.
bool makes_forget(const Fact& fact) {
  if (const auto* submitted = std::get_if<KeptSubmission>(&fact)) {
    const auto* read = as_reference<reference::ReadDue>(submitted->submission.request);
    return read != nullptr && !read->after;
  }
  if (const auto* applied = std::get_if<KeptApplied>(&fact)) {
    if (as_reference<reference::CommitFires>(applied->request) == nullptr) return false;
    const auto* committed = as_reference<reference::Committed>(applied->reply);
    return committed == nullptr ||
           std::any_of(committed->rows.begin(), committed->rows.end(),
                       [](reference::RowResult row) { return row != reference::RowResult::covered; });
  }
  return std::holds_alternative<sim::StoreClockStepped>(fact) ||
         std::holds_alternative<sim::StoreFailedOver>(fact);
}

// The work that who has running between two facts, of this version's schedule and for a slot of its own or before.
bool works_at(const Owing& owing, Incarnation who, const Version& version, std::size_t place) {
  std::set<reference::EventId> at_work;
  for (std::size_t i = 0; i < place; ++i) {
    const Fact& fact = owing.run.history.facts[i].fact;
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact); asked != nullptr && asked->who == who)
      at_work.insert(asked->item.event);
    if (const auto* landed = std::get_if<KeptLanding>(&fact);
        landed != nullptr && landed->who == who && landed->landing != sim::DeliveryOutcome::begun)
      at_work.erase(landed->item.event);
    if (const auto* ended = std::get_if<KeptEnding>(&fact); ended != nullptr && ended->who == who)
      at_work.erase(ended->item.event);
  }
  return std::any_of(at_work.begin(), at_work.end(), [&version](const reference::EventId& event) {
    return event.schedule == version.schedule && event.slot < version.end;
  });
}

// Slots up to here came while the fire before `place` waited for work to end, as its leader showed; min() for none.
StoreTime came_beside(const Owing& owing, Incarnation who, const Version& version, std::size_t place) {
  const std::vector<Kept>& facts = owing.run.history.facts;
  // Back to the last fire of the version, and from there to a look at what was due while work was in hand.
  std::optional<StoreTime> fired;
  StoreTime latest = StoreTime::min();
  for (std::size_t i = place; i-- > 0 && !makes_forget(facts[i].fact);) {
    if (const auto* died = std::get_if<sim::NodeDied>(&facts[i].fact); died != nullptr && died->who == who)
      break;
    const auto* submitted = std::get_if<KeptSubmission>(&facts[i].fact);
    if (submitted == nullptr || submitted->who != who) continue;
    const auto* commit = as_reference<reference::CommitFires>(submitted->submission.request);
    if (commit == nullptr) continue;
    const StoreTime looked = latest_due(owing, *commit, i);
    std::optional<StoreTime> fires;
    for (const reference::LedgerRow& row : commit->rows)
      if (row.schedule == version.schedule && row.version == version.number && row.what == Disposition::fired)
        fires = row.slot;
    if (fires && fired) break;  // the one before
    if (fires) {
      fired = fires;
      latest = looked;
    } else if (fired && works_at(owing, who, version, i) &&
               due_of(version.definition, version.schedule, *fired) < looked) {
      return std::max(latest, looked);
    }
  }
  return StoreTime::min();
}

void judge_queues(Owing& owing) {
  for (const LedgerRow& row : owing.schedules.rows()) {
    const std::optional<Version> version = owing.schedules.version_of(row);
    if (!version || version->definition.overlap != Overlap::queue_one || row.row.what != Disposition::fired)
      continue;
    const std::size_t decided = decided_at(owing.run.history, row.place);
    if (due_of(version->definition, version->schedule, row.row.slot) <=
        came_beside(owing, row.who, *version, decided))
      owing.wrongs.push_back({row.at, describe(row.row.slot) + " fires, and came while another waited"});
  }
}

// At the end of the run: who has its work in hand has known for a while which slots are to be given up.
void note_what_came_beside(Owing& owing) {
  const std::vector<Kept>& facts = owing.run.history.facts;
  const sim::TrueTime long_before = facts[owing.heal].at - kGrace;
  for (const ScheduleId schedule : owing.schedules.ids()) {
    for (const Version& version : owing.schedules.versions(schedule, owing.last())) {
      if (version.definition.overlap != Overlap::queue_one) continue;
      std::optional<std::size_t> fired;
      Incarnation who;
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const auto* submitted = std::get_if<KeptSubmission>(&facts[i].fact);
        const auto* commit = submitted != nullptr
                                 ? as_reference<reference::CommitFires>(submitted->submission.request)
                                 : nullptr;
        if (commit == nullptr) continue;
        for (const reference::LedgerRow& row : commit->rows)
          if (row.schedule == schedule && row.version == version.number && row.what == Disposition::fired) {
            fired = i;
            who = submitted->who;
          }
      }
      if (!fired || facts[*fired].at > long_before || !works_at(owing, who, version, facts.size())) continue;
      owing.came_beside[{schedule, version.number}] = came_beside(owing, who, version, facts.size());
    }
  }
}

// Had its writer work of the schedule under way, from before it was due until it fired?
bool fires_beside_work(const Owing& owing, const LedgerRow& row, const Version& version) {
  if (version.definition.overlap == Overlap::allow || !has_own_work(version)) return false;
  std::optional<sim::TrueTime> asked;
  for (const InHand& work : owing.in_hand)
    if (work.who == row.who && work.event.schedule == version.schedule && work.from < row.at &&
        work.to >= row.at)
      asked = std::min(asked.value_or(work.from), work.from);
  const StoreTime due = due_of(version.definition, version.schedule, row.row.slot);
  return asked && *asked <= first_shown(owing.run.history, due - kReading) &&
         works_at(owing, row.who, version, row.place);
}

void judge_rows(Owing& owing) {
  const std::vector<StoreTime> latest_by = latest_readings(owing.run.history);
  for (const LedgerRow& row : owing.schedules.rows()) {
    const std::optional<Version> version = owing.schedules.version_of(row);
    if (!version) continue;
    if (row.row.what == Disposition::fired && fires_beside_work(owing, row, *version))
      owing.wrongs.push_back(
          {row.at, describe(row.row.slot) + " fires beside work that it should not overlap"});
    if (row.row.what == Disposition::fired && row.row.slots == 1) continue;
    if (is_of_unread(owing.run.history, row)) continue;
    const auto speaks_for = static_cast<std::int64_t>(slots_of(row, *version).size());
    if (speaks_for != row.row.slots)
      owing.wrongs.push_back({row.at, "a row of " + describe(row.row.from) + " miscounts its slots"});
    const StoreTime latest = latest_by[row.place];
    for (const StoreTime slot : slots_of(row, *version))
      if (const std::string why = against(owing, row, *version, slot, latest); !why.empty())
        owing.wrongs.push_back({row.at, describe(slot) + " " + why});
  }
}

// A slot is lost a while after it came due, or after the failover that took back what had become of it; but nothing is
// lost later than the heal, unless it came to be owed after that.
sim::TrueTime lost_at(const Owing& owing, sim::TrueTime since) {
  return std::min(since + kGrace, std::max(since, owing.run.history.facts[owing.heal].at));
}

// Since when the slot has been owed to the version.
sim::TrueTime owed_since(const Owing& owing, const Version& version, StoreTime slot) {
  const StoreTime due = owing.ledger ? due_of(version.definition, version.schedule, slot) : slot;
  sim::TrueTime since = first_shown(owing.run.history, due);
  for (const Lost& lost : owing.schedules.lost()) {
    const std::size_t before = lost.failed_over - 1;
    bool another = true;  // owned it, or nobody did
    for (const Version& then : owing.schedules.versions(version.schedule, before))
      if (then.number == version.number && then.place == version.place && then.begin <= slot &&
          slot < then.end)
        another = false;
    const bool handled =
        std::any_of(owing.schedules.rows().begin(), owing.schedules.rows().end(), [&](const LedgerRow& row) {
          const bool own = row.row.what == Disposition::fired && row.row.slots == 1;
          return row.row.schedule == version.schedule && row.row.version == version.number &&
                 owing.schedules.holds(row.place, before) &&
                 (own ? row.row.slot == slot : row.row.from <= slot && slot < row.row.to);
        });
    if (another || handled) since = std::max(since, owing.run.history.facts[lost.failed_over].at);
  }
  return since;
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
  if (covering == nullptr) {
    if (version.deleted && slot >= cursor) return;
    // What waits is the last of its version: nothing later of it has been handled.
    const bool last = std::none_of(rows.begin(), rows.end(), [slot](const LedgerRow* row) {
      return row->row.what == Disposition::fired && row->row.slots == 1 ? row->row.slot > slot
                                                                        : row->row.to > slot;
    });
    // The next one is asked for a turn after its work is over.
    if (last && waits_for_work(owing.in_hand, version, owing.run.history.end - owing.turn) &&
        !(owing.came_beside.count({version.schedule, version.number}) > 0 &&
          due_of(version.definition, version.schedule, slot) <
              owing.came_beside.at({version.schedule, version.number})))
      return;
    // A pause is written down without a worker, ten seconds after its first slot, but behind what had come before that
    // and waits for a worker.
    const StoreTime written = std::min(slot + Duration::seconds(10), version.end);
    const bool paused = version.definition.paused;
    if (last && (owing.workers_are_taken || (owing.commits_go_on && !paused)) &&
        (paused ? owing.schedules.fires_are_owed_before(version.schedule, written, owing.last())
                : !owing.turns->was_passed_over(version, slot)))
      return;
    owing.wrongs.push_back(
        {lost_at(owing, owed_since(owing, version, slot)), describe(slot) + " is in no row"});
  } else if (covering->row.what == Disposition::fired && has_own_work(version)) {
    const bool waits = owing.workers_are_taken && !owing.turns->was_passed_over(*covering);
    const bool just_now =
        covering->at > owing.run.history.end - owing.turn &&
        (owing.commits_go_on || waits_for_work(owing.in_hand, version, covering->at - owing.turn));
    if (!waits && !just_now && owing.begun.count({version.schedule, covering->row.slot, 0}) == 0)
      owing.wrongs.push_back(
          {lost_at(owing, covering->at), describe(slot) + " was committed, and its work never began"});
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

// ---- Late slots without a ledger ---------------------------------------------------------------------------

// Of a version that gives up late slots. There was time for one if nothing was in the way, within its grace by the
// store's clock, for as long as what is owed may take, and all the scheduler's periods. Nobody owes what had been
// deleted by then. And as long as `fire_once` is in force, the last of its slots, or a later one, is executed.
// `deleted`: when its schedule was, by the store's clock, or max().
void judge_late_slots(Owing& owing, const Version& version, StoreTime deleted, const QuietTimes& quiet) {
  const History& history = owing.run.history;
  const sim::Scenario& scenario = owing.run.scenario;
  const Duration in_time = sim::longest_turn(scenario) + sim::durations_of(scenario.scheduling).sum;
  const std::vector<StoreTime> slots = slots_between(
      version.definition, version.begin, std::min(version.end, owing.owed_to + Duration::micros(1)));
  bool any_lost = false;
  for (const StoreTime slot : slots) {
    if (owing.begun.count({version.schedule, slot, 0}) > 0) continue;
    const StoreTime late = std::min(slot + version.definition.misfire.grace, deleted);
    if (!any_within(quiet, first_shown(history, slot), first_shown(history, late), in_time)) continue;
    any_lost = true;
    owing.wrongs.push_back(
        {lost_at(owing, owed_since(owing, version, slot)), describe(slot) + " was not executed in time"});
  }
  if (any_lost || version.end != StoreTime::max() ||
      version.definition.misfire.policy != Misfire::Policy::fire_once)
    return;
  StoreTime latest = StoreTime::min();
  for (const auto& [event, at] : owing.begun)
    if (event.schedule == version.schedule && event.run == 0) latest = std::max(latest, event.slot);
  for (const StoreTime slot : slots)
    if (slot > latest)
      owing.wrongs.push_back({lost_at(owing, owed_since(owing, version, slot)),
                              describe(slot) + " was not executed, nor one after it"});
}

void judge_slots(Owing& owing) {
  const QuietTimes quiet = owing.ledger ? QuietTimes{} : quiet_times(owing.run.history);
  const StoreTime latest = latest_readings(owing.run.history)[owing.heal];
  std::map<std::pair<ScheduleId, std::uint32_t>, std::vector<const LedgerRow*>> rows;
  for (const LedgerRow& row : owing.schedules.rows())
    if (owing.schedules.holds(row.place, owing.last()))
      rows[{row.row.schedule, row.row.version}].push_back(&row);
  for (const ScheduleId schedule : owing.schedules.ids()) {
    bool deleted = false;
    const std::vector<Version> versions = owing.schedules.versions(schedule, owing.last());
    for (const Version& version : versions) deleted = deleted || version.deleted;
    for (Version version : versions) {
      if (deleted && !version.deleted) {
        version.deleted = true;  // what earlier versions left is recorded as deleted as well
        version.deleted_at = versions.back().deleted_at;
      }
      const Definition& definition = version.definition;
      if (!owing.ledger && definition.paused) continue;
      if (!owing.ledger && definition.misfire.policy != Misfire::Policy::fire_all) {
        judge_late_slots(owing, version, versions.back().end, quiet);
        continue;
      }
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
        } else if (owing.begun.count({schedule, slot, 0}) == 0) {
          owing.wrongs.push_back(
              {lost_at(owing, owed_since(owing, version, slot)), describe(slot) + " was never executed"});
        }
      }
    }
  }
}

// Until its work is over an event stays in the outbox: who takes it out before would lose it as it dies. While anybody
// is at it, it may still fail, and nobody's word makes it done.
void judge_acknowledgements(Owing& owing) {
  enum class State { asked, running, over };
  std::map<std::pair<Incarnation, reference::EventId>, State> known;
  std::multiset<reference::EventId> at_work;
  for (const Kept& kept : owing.run.history.facts) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      known[{asked->who, asked->item.event}] = State::asked;
    } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      const bool begun = landed->landing == sim::DeliveryOutcome::begun;
      const bool over =
          landed->landing == sim::DeliveryOutcome::duplicate && !at_work.contains(landed->item.event);
      if (begun) at_work.insert(landed->item.event);
      known[{landed->who, landed->item.event}] = begun ? State::running : over ? State::over : State::asked;
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      known[{ended->who, ended->item.event}] = State::over;
      if (const auto one = at_work.find(ended->item.event); one != at_work.end()) at_work.erase(one);
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      if (!owing.ledger) continue;
      for (const reference::EventId& event : taken_by(submitted->submission.request)) {
        const auto found = known.find({submitted->who, event});
        if (found != known.end() && found->second != State::over)
          owing.wrongs.push_back({kept.at, describe(event) + " is acknowledged before its work is over"});
      }
    }
  }
}

void judge_manual_runs(Owing& owing) {
  for (const ManualRun& run : owing.schedules.manual_runs())
    if (has_own_work(owing.schedules.versions(run.event.schedule, run.place).back()) &&
        !owing.workers_are_taken && !owing.turns->runs_go_on() && run.place < owing.heal &&
        owing.schedules.holds(run.place, owing.last()) && owing.begun.count(run.event) == 0)
      owing.wrongs.push_back({lost_at(owing, run.at), describe(run.event) + " was never executed"});
}

}  // namespace

std::vector<Wrong> no_lost_fire(const Case& run) {
  Owing owing{.run = run,
              .schedules = ScheduleHistory(run.history),
              .begun = begun_work(run.history),
              .in_hand = work_in_hand(run.history),
              .ledger = run.scenario.scheduler->keeps_ledger,
              .heal = 0,
              .owed_to = {},
              .workers_are_taken = false,
              .commits_go_on = false,
              .came_beside = {},
              .wrongs = {}};
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    if (!std::holds_alternative<sim::Healed>(run.history.facts[place].fact)) continue;
    owing.heal = place;
    owing.owed_to = run.history.facts[place].store_now;
  }
  owing.turns.emplace(run, owing.schedules);
  owing.turn = sim::longest_turn(run.scenario);
  const sim::TrueTime before = run.history.end - owing.turn;
  owing.workers_are_taken = owing.ledger && (owing.turns->are_taken_since(run.history.end - kGrace) ||
                                             owing.turns->are_taken_between(before - kGrace, before));
  owing.commits_go_on =
      owing.ledger &&
      owing.turns->go_on(run.history.facts.empty() ? sim::TrueTime{} : run.history.facts[owing.heal].at,
                         std::max(kGrace, owing.turn));
  owing.wrongs = wrong_overlaps(run);
  judge_rows(owing);
  judge_queues(owing);
  note_what_came_beside(owing);
  judge_slots(owing);
  judge_manual_runs(owing);
  judge_acknowledgements(owing);
  return owing.wrongs;
}

}  // namespace tenure::judging
