// Nothing fires before it is due by the store's clock. A commit is judged by the store time of its transaction, and so
// is the work of what it covered, which comes after it; where no ledger is kept, it is early unless
// the slot was due when it was asked for, or when it began.
#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"

namespace tenure::judging {
namespace {

constexpr Duration kMicrosecond = Duration::micros(1);

// When all that a row speaks for has come. A slot that is suppressed by a pause is so at its own time: nothing fires,
// and nothing is spread. Who cannot read the definition does not know its jitter.
StoreTime due_of_row(const History& history, const LedgerRow& row, const Version& version) {
  StoreTime due = StoreTime::min();
  if (row.row.what == reference::Disposition::paused || is_of_unread(history, row))
    return covered_until(row) - kMicrosecond;
  for (const StoreTime slot : slots_of(row, version))
    due = std::max(due, due_time(version.definition, version.schedule, slot));
  // Written to fire, whatever the store has made of it: such a row ends where the next slot is.
  const bool single = row.row.slots == 1 && row.row.slot >= row.row.from;
  return single ? due : std::max(due, covered_until(row) - kMicrosecond);
}

// When each fire was first committed, as a place in the history.
using Commits = std::map<std::pair<ScheduleId, StoreTime>, std::size_t>;
Commits commits_of(const ScheduleHistory& schedules) {
  Commits commits;
  for (const LedgerRow& row : schedules.rows())
    if (row.row.what == reference::Disposition::fired)
      commits.try_emplace({row.row.schedule, row.row.slot}, row.place);
  return commits;
}

// By the definition that owns the slot; of no definition, the slot itself.
StoreTime due_of_event(const ScheduleHistory& schedules, const reference::EventId& event, std::size_t from) {
  for (const Version& version : schedules.versions(event.schedule, from))
    if (event.slot >= version.begin && event.slot < version.end)
      return due_time(version.definition, event.schedule, event.slot);
  return event.slot;
}

}  // namespace

std::vector<Wrong> never_early(const Case& run) {
  const ScheduleHistory schedules(run.history);
  std::vector<Wrong> wrongs;
  for (const LedgerRow& row : schedules.rows()) {
    const std::optional<Version> version = schedules.version_of(row);
    if (version && due_of_row(run.history, row, *version) > row.store_now)
      wrongs.push_back({row.at, std::string(name_of(row.row.what)) + " of " + describe(row.row.from) +
                                    " to " + describe(row.row.to) + ", due at " +
                                    describe(due_of_row(run.history, row, *version)) +
                                    ", is committed early"});
  }
  const Commits commits = commits_of(schedules);
  std::map<std::pair<Incarnation, reference::EventId>, StoreTime>
      asked;  // the store's clock as work was asked for
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    const auto* request_for_work = std::get_if<KeptWorkAsked>(&kept.fact);
    if (request_for_work != nullptr && !run.scenario.scheduler->keeps_ledger)
      asked[{request_for_work->who, request_for_work->item.event}] = kept.store_now;
    const auto* landed = std::get_if<KeptArrival>(&kept.fact);
    if (landed == nullptr || landed->item.event.run != 0) continue;
    const reference::EventId& event = landed->item.event;
    StoreTime shown = landed->store_now;
    if (const auto request = asked.find({landed->who, event}); request != asked.end()) {
      shown = std::max(shown, request->second);
      asked.erase(request);  // it has arrived
    }
    if (landed->landing != sim::DeliveryOutcome::begun) continue;
    const std::size_t from = schedules.horizon_of(landed->item.token, place);
    const auto commit = commits.find({event.schedule, event.slot});
    if (commit != commits.end() && commit->second < place) continue;
    if (run.scenario.scheduler->keeps_ledger)
      wrongs.push_back({run.history.facts[place].at, describe(event) + " begins before it is committed"});
    if (due_of_event(schedules, event, from) > shown)
      wrongs.push_back({run.history.facts[place].at, describe(event) + " begins early"});
  }
  return wrongs;
}

}  // namespace tenure::judging
