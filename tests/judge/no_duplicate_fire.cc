// No work begins twice at one place, on all branches of the store together; and no slot is in two ledger rows of one
// branch. A place is a destination, or the leaders' own process.
//
// A fire is named by its event; what a client triggered by hand, by its number.
#include <algorithm>
#include <tuple>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

bool is_trigger(const ScheduleHistory& schedules, const reference::EventId& event) {
  return std::any_of(
      schedules.manual_runs().begin(), schedules.manual_runs().end(), [&](const ManualRun& run) {
        return run.trigger && run.event.schedule == event.schedule && run.event.run == event.run;
      });
}

using Name = std::tuple<std::string, ScheduleId, std::uint64_t, StoreTime>;
Name name_of(const ScheduleHistory& schedules, const WorkItem& item) {
  const reference::EventId& event = item.event;
  const bool by_number = event.run != 0 && is_trigger(schedules, event);
  return {item.destination, event.schedule, event.run, by_number ? StoreTime{} : event.slot};
}

// Of work, or at a destination.
const WorkItem* failed_in(const Fact& fact) {
  if (const auto* work = std::get_if<KeptEnding>(&fact))
    return work->ending == sim::Ending::failed ? &work->item : nullptr;
  const auto* sent = std::get_if<KeptDeliveryEnding>(&fact);
  return sent != nullptr && sent->ending == sim::Ending::failed ? &sent->item : nullptr;
}

struct Beginning {
  const WorkItem& item;
  Incarnation who;
};
std::optional<Beginning> begun_in(const Fact& fact) {
  if (const auto* work = std::get_if<KeptArrival>(&fact);
      work != nullptr && work->landing == sim::DeliveryOutcome::begun)
    return Beginning{work->item, work->who};
  if (const auto* sent = std::get_if<KeptDeliveryLanding>(&fact);
      sent != nullptr && sent->landing == sim::DeliveryOutcome::begun)
    return Beginning{sent->item, sent->who};
  return std::nullopt;
}

}  // namespace

std::vector<Wrong> no_duplicate_fire(const Case& run) {
  const ScheduleHistory schedules(run.history);
  std::vector<Wrong> wrongs;
  std::map<Name, Incarnation> begun;
  for (const Kept& kept : run.history.facts) {
    // What failed may begin once more.
    if (const WorkItem* failed = failed_in(kept.fact)) begun.erase(name_of(schedules, *failed));
    const std::optional<Beginning> begins = begun_in(kept.fact);
    if (begins && !begun.try_emplace(name_of(schedules, begins->item), begins->who).second)
      wrongs.push_back(
          {kept.at, describe(begins->item.event) + " begins again, by " + describe(begins->who)});
  }
  std::map<std::pair<ScheduleId, StoreTime>, std::vector<std::size_t>> covered;  // by which commits
  for (const LedgerRow& row : schedules.rows()) {
    const std::optional<Version> version = schedules.version_of(row);
    if (!version) continue;
    // The store has recorded what a delete left.
    if (schedules.versions(row.row.schedule, row.place).back().deleted)
      wrongs.push_back({row.at, describe(row.row.from) + " is covered after its schedule was deleted"});
    for (const StoreTime slot : slots_of(row, *version)) {
      std::vector<std::size_t>& places = covered[{row.row.schedule, slot}];
      for (const std::size_t place : places)
        if (schedules.holds(place, row.place))
          wrongs.push_back({row.at, describe(slot) + " is in a ledger row again"});
      places.push_back(row.place);
    }
  }
  return wrongs;
}

// No commit has rows of two versions of one schedule. It is the leader's mistake, made as it submits.
std::vector<Wrong> versions_take_turns(const Case& run) {
  std::vector<Wrong> wrongs;
  for (const Kept& kept : run.history.facts) {
    const auto* submitted = std::get_if<KeptSubmission>(&kept.fact);
    if (submitted == nullptr) continue;
    const auto* commit = as_reference<reference::CommitFires>(submitted->submission.request);
    if (commit == nullptr) continue;
    std::map<ScheduleId, std::uint32_t> versions;
    for (const reference::LedgerRow& row : commit->rows)
      if (versions.try_emplace(row.schedule, row.version).first->second != row.version)
        wrongs.push_back({kept.at, describe(submitted->who) + " commits two versions at once"});
  }
  return wrongs;
}

}  // namespace tenure::judging
