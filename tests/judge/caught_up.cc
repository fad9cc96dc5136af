// After the heal, what is owed gets done within one bound (docs/adr/0078): when the run is over, nothing has been owed
// since the heal, or for longer than the bound. A slot is owed when it is due, one of a schedule that queues when the
// schedule's work is over, one of a paused schedule when the leader has had the time to write it down. A fire's work is
// owed from its commit. What failed is tried again within a minute, and what ran at another instance is asked for again
// within a minute of its end there. What has failed so often under its leader that it is given up is not: the outbox is
// told of it within an `ack_delay`. What waits for workers waits in its turn. A gap behind what was done is
// no-lost-fire's. Where no ledger says so, slots may have been given up that are late by policy, of a paused or deleted
// schedule, or by an edit: only what is in force and fires all of them is judged.
#include <algorithm>
#include <set>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"
#include "tests/judge/turns.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

constexpr Duration kUntilTriedAgain = Duration::minutes(1);

// How far a version was handled: nothing before this time waits any more.
StoreTime handled_up_to(const Version& version, const ScheduleHistory& schedules,
                        const std::map<reference::EventId, sim::TrueTime>& begun, bool ledger,
                        std::size_t last) {
  StoreTime handled = version.begin;
  if (ledger) {
    for (const LedgerRow& row : schedules.rows())
      if (row.row.schedule == version.schedule && row.row.version == version.number &&
          schedules.holds(row.place, last))
        handled = std::max(handled, row.row.to);
  } else {
    for (const auto& [event, at] : begun)
      if (event.schedule == version.schedule && event.run == 0 && event.slot < version.end)
        handled = std::max(handled, event.slot + Duration::micros(1));
  }
  return handled;
}

// What became of each piece of work that was asked for: who asked last, and since when somebody has to ask again.
struct Piece {
  Incarnation who;
  sim::TrueTime asked_first;
  bool elsewhere = false;  // another instance was at it
  bool begins = false;     // it was asked for again, and has not begun
  std::optional<sim::TrueTime> open = std::nullopt;
  bool given_up = false;  // it failed so often under one leader that nobody has to ask again
};
std::map<reference::EventId, Piece> unfinished_work(const History& history, std::int64_t attempts) {
  std::map<std::pair<Incarnation, reference::EventId>, std::vector<std::optional<Token>>> failures;
  std::map<reference::EventId, Piece> pieces;
  // How often it has failed by now, without a success, under the token of its leader.
  const auto in_a_row = [&failures](const KeptEnding& ended) {
    std::vector<std::optional<Token>>& tokens = failures[{ended.who, ended.item.event}];
    const bool failed = ended.ending == sim::Ending::failed;
    if (!failed || (!tokens.empty() && tokens.back() != ended.item.token)) tokens.clear();
    if (failed) tokens.push_back(ended.item.token);
    return static_cast<std::int64_t>(tokens.size());
  };
  std::multiset<reference::EventId> at_work;
  std::set<reference::EventId> dead;
  std::uint32_t branch = 0;                           // of the store
  sim::TrueTime replica_from = sim::TrueTime::max();  // max(): there is none that stands still
  for (const Kept& kept : history.facts) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      const bool knows_the_branch = !asked->item.token || asked->item.token->branch >= branch;
      if (dead.contains(asked->item.event) || !knows_the_branch) continue;
      const auto [place, is_new] = pieces.try_emplace(asked->item.event);
      Piece& piece = place->second;
      const sim::TrueTime first = is_new ? kept.at : piece.asked_first;
      piece = {asked->who, first, false, piece.begins || piece.elsewhere || piece.open};
    } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      if (landed->landing == sim::DeliveryOutcome::begun) at_work.insert(landed->item.event);
      const auto piece = pieces.find(landed->item.event);
      if (piece == pieces.end() || piece->second.who != landed->who) continue;
      if (landed->landing == sim::DeliveryOutcome::begun) piece->second.begins = false;
      if (landed->landing == sim::DeliveryOutcome::running) piece->second.elsewhere = true;
      if (landed->landing == sim::DeliveryOutcome::fenced && piece->second.begins)
        piece->second.open = kept.at;
      if (landed->landing == sim::DeliveryOutcome::duplicate) pieces.erase(piece);
    } else if (const auto* tells = std::get_if<KeptSubmission>(&kept.fact)) {
      if (const auto* given_up = as_reference<reference::GiveUpEvents>(tells->submission.request))
        for (const reference::DeadEvent& one : given_up->events) failures.erase({tells->who, one.id});
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      const std::int64_t failed = in_a_row(*ended);
      if (const auto one = at_work.find(ended->item.event); one != at_work.end()) at_work.erase(one);
      const auto piece = pieces.find(ended->item.event);
      if (piece == pieces.end()) continue;
      const bool own = piece->second.who == ended->who;
      if (own) piece->second.given_up = failed >= attempts;
      if (own && failed == 0)
        pieces.erase(piece);
      else if (own || piece->second.elsewhere)
        piece->second.open = kept.at;
    } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      if (const auto* redrive = as_reference<reference::Redrive>(applied->request))
        for (const reference::EventId& event : redrive->events) dead.erase(event);
      if (as_reference<reference::CommitRefused>(applied->reply) != nullptr) continue;
      for (const reference::EventId& event : taken_by(applied->request)) pieces.erase(event);
      if (const auto* given_up = as_reference<reference::GiveUpEvents>(applied->request))
        for (const reference::DeadEvent& one : given_up->events) dead.insert(one.id);
    } else if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact)) {
      // Whoever leads next finds it in the outbox.
      for (auto it = pieces.begin(); it != pieces.end();) {
        Piece& piece = it->second;
        const bool theirs = piece.who == died->who;
        if (theirs) piece.given_up = false;
        const bool waits = piece.begins || piece.open || piece.elsewhere;
        if (theirs && at_work.contains(it->first)) {
          piece.elsewhere = true;  // and whoever is at it may have it in hand
          piece.open.reset();
        } else if (theirs && waits) {
          piece.open = kept.at;
        }
        it = theirs && !waits && !piece.elsewhere ? pieces.erase(it) : std::next(it);
      }
    } else if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
      replica_from = kept.at;
    } else if (const auto* over = std::get_if<sim::StoreFailedOver>(&kept.fact)) {
      branch = over->branch;
      if (replica_from == sim::TrueTime::max()) continue;
      // What the replica had is in its outbox.
      std::erase_if(pieces, [&](const auto& piece) { return piece.second.asked_first >= replica_from; });
      for (auto& [event, piece] : pieces)
        if (piece.open) piece.open = kept.at;
      dead.clear();
      replica_from = sim::TrueTime::max();
    }
  }
  return pieces;
}

struct Judging {
  const Case& run;
  const Turns& turns;
  sim::TrueTime healed;
  Duration bound;
  bool ledger = false;
  std::vector<Wrong> wrongs = {};

  bool is_late(sim::TrueTime since) const { return since <= std::max(healed, run.history.end - bound); }
  // Have the workers their hands full, so that what has been owed since then waits for its turn?
  bool waits(sim::TrueTime since) const {
    const sim::TrueTime from = std::max(since, healed);
    return turns.are_taken_since(run.history.end - bound) || turns.are_taken_since(from) ||
           (ledger && turns.go_on(from, bound));
  }
};

// What failed is due again after a minute of its process's clock, be that as slow as it may. Then it waits for a worker
// at most until each piece that waits beside it has had its turn twice, with all workers at others in between.
void left_at_that(Judging& judging) {
  const Case& run = judging.run;
  const std::map<reference::EventId, Piece> pieces =
      unfinished_work(run.history, run.scenario.scheduling.number("work_attempts"));
  std::int64_t waiting = 0;
  for (const auto& [event, piece] : pieces) waiting += piece.open || piece.elsewhere ? 1 : 0;
  const std::int64_t workers = run.scenario.scheduling.number("max_running");
  // As long as something is due, half the free workers have failed work from one commit to the next.
  const Duration turn = sim::longest_turn(run.scenario);
  std::set<reference::EventId> asked_before;
  std::vector<sim::TrueTime> retried;
  for (const Kept& kept : run.history.facts)
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact))
      if (!asked_before.insert(asked->item.event).second) retried.push_back(kept.at);
  const std::int64_t slow = 1'000'000 - run.scenario.scheduling.number("max_clock_drift_ppm");
  for (const auto& [event, piece] : pieces) {
    if (!piece.open) continue;
    const Duration told = run.scenario.scheduling.duration("ack_delay");
    const Duration wait = piece.given_up ? std::max(kUntilTriedAgain, told) : kUntilTriedAgain;
    const sim::TrueTime due = *piece.open + Duration::nanos(mul_div_floor(wait.ns(), 1'000'000, slow));
    const auto since =
        std::count_if(retried.begin(), retried.end(), [due](sim::TrueTime at) { return at > due; });
    const sim::TrueTime owed = due + turn * (since / ((workers + 3) / 4));
    if (!judging.is_late(owed)) continue;
    std::int64_t others = 0;
    for (const Kept& kept : run.history.facts) {
      const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact);
      if (asked != nullptr && kept.at > due) ++others;
    }
    const bool passed_over = others / workers > 2 * (waiting + 2);
    if (passed_over || !judging.waits(owed))
      judging.wrongs.push_back(
          {run.history.end, describe(event.slot) + " was to be tried again and was left at that"});
  }
}

}  // namespace

std::vector<Wrong> caught_up(const Case& run) {
  const ScheduleHistory schedules(run.history);
  const auto begun = begun_work(run.history);
  const std::vector<InHand> in_hand = work_in_hand(run.history);
  const bool ledger = run.scenario.scheduler->keeps_ledger;
  const std::size_t last = run.history.facts.size();
  StoreTime healed;
  sim::TrueTime healed_at;
  for (const Kept& kept : run.history.facts) {
    if (!std::holds_alternative<sim::Healed>(kept.fact)) continue;
    healed = kept.store_now;
    healed_at = kept.at;
  }
  const Turns turns(run, schedules);
  Judging judging{run, turns, healed_at, sim::progress_bound(run.scenario), ledger};
  if (ledger) left_at_that(judging);

  for (const ScheduleId schedule : schedules.ids()) {
    for (const Version& version : schedules.versions(schedule, last)) {
      if (version.deleted || schedules.versions(schedule, last).back().deleted) continue;
      const bool fires_all =
          !version.definition.paused && version.definition.misfire.policy == Misfire::Policy::fire_all;
      if (!ledger && (!fires_all || version.end != StoreTime::max())) continue;
      const Duration later = version.definition.paused ? run.scenario.scheduler->paused_step : Duration{};
      const StoreTime wanted = std::max(healed, run.history.end_store - judging.bound - later);
      for (const StoreTime slot :
           slots_between(version.definition, handled_up_to(version, schedules, begun, ledger, last),
                         std::min(version.end, wanted + Duration::micros(1)))) {
        const StoreTime due = due_of(version.definition, schedule, slot);
        if (due > wanted) continue;
        // When the store's clock ran as it does at the end; or when the schedule's own work was over.
        sim::TrueTime since = run.history.end - (run.history.end_store - due);
        if (version.definition.overlap == Overlap::queue_one)
          for (const InHand& work : in_hand)
            if (work.event.schedule == schedule) since = std::max(since, std::min(work.to, run.history.end));
        if (!judging.is_late(since)) continue;
        if (ledger && judging.waits(since) && !turns.was_passed_over(version, slot, later) &&
            !turns.fires_starve(std::max(since, healed_at)))
          break;  // and those after it wait behind it
        judging.wrongs.push_back({run.history.end, describe(slot) + " was due and waits"});
      }
    }
  }
  for (const LedgerRow& row : schedules.rows()) {
    const std::optional<Version> version = schedules.version_of(row);
    if (version && !has_own_work(*version)) continue;
    if (row.row.what != reference::Disposition::fired || !schedules.holds(row.place, last)) continue;
    if (begun.count({row.row.schedule, row.row.slot, 0}) > 0 || !judging.is_late(row.at)) continue;
    if (judging.waits(row.at) && !turns.was_passed_over(row)) continue;
    judging.wrongs.push_back(
        {run.history.end, describe(row.row.slot) + " was committed and is still on its way"});
  }
  return judging.wrongs;
}

}  // namespace tenure::judging
