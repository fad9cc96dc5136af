// No work begins twice, on all branches of the store together; and no slot is in two ledger rows of one branch.
//
// A fire is named by its event; what a client triggered by hand, by its number.
#include <algorithm>
#include <tuple>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"

namespace tenure::judging {
namespace {

bool is_trigger(const ScheduleHistory& schedules, const reference::EventId& event) {
  return std::any_of(
      schedules.manual_runs().begin(), schedules.manual_runs().end(), [&](const ManualRun& run) {
        return run.trigger && run.event.schedule == event.schedule && run.event.run == event.run;
      });
}

}  // namespace

std::vector<Wrong> no_duplicate_fire(const Case& run) {
  const ScheduleHistory schedules(run.history);
  std::vector<Wrong> wrongs;
  std::map<std::tuple<ScheduleId, std::uint64_t, StoreTime>, Incarnation> begun;
  for (const Kept& kept : run.history.facts) {
    // What failed may begin once more.
    const auto* ended = std::get_if<KeptEnding>(&kept.fact);
    if (ended != nullptr && ended->ending == sim::Ending::failed) {
      const reference::EventId& event = ended->item.event;
      const bool by_number = event.run != 0 && is_trigger(schedules, event);
      begun.erase({event.schedule, event.run, by_number ? StoreTime{} : event.slot});
    }
    const auto* landed = std::get_if<KeptLanding>(&kept.fact);
    if (landed == nullptr || landed->landing != sim::DeliveryOutcome::begun) continue;
    const reference::EventId& event = landed->item.event;
    const bool by_number = event.run != 0 && is_trigger(schedules, event);
    const std::tuple name{event.schedule, event.run, by_number ? StoreTime{} : event.slot};
    if (!begun.try_emplace(name, landed->who).second)
      wrongs.push_back({kept.at, describe(event) + " begins again, by " + describe(landed->who)});
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

}  // namespace tenure::judging
