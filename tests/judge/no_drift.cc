// Every fire is at a slot of the definition that was in force at that slot, and that was not paused; and what is run by
// hand was asked for.
#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"

namespace tenure::judging {
namespace {

bool owns(const Version& version, StoreTime slot) {
  return slot >= version.begin && slot < version.end && is_slot(version.definition, slot);
}

bool asked_by_hand(const ScheduleHistory& schedules, const reference::EventId& event, std::size_t from) {
  return std::any_of(
      schedules.manual_runs().begin(), schedules.manual_runs().end(),
      [&](const ManualRun& run) { return run.event == event && schedules.holds(run.place, from); });
}

bool in_force(const ScheduleHistory& schedules, const reference::EventId& event, std::size_t from) {
  const std::vector<Version> versions = schedules.versions(event.schedule, from);
  return std::any_of(versions.begin(), versions.end(), [&](const Version& version) {
    return !version.definition.paused && owns(version, event.slot);
  });
}

// A row says when the last slot that it speaks for is due; but for a pause, which suppresses slots as they come.
void judge_due(const History& history, const ScheduleHistory& schedules, const LedgerRow& row,
               std::vector<Wrong>& wrongs) {
  const std::optional<Version> version = schedules.version_of(row);
  if (!version || row.row.what == reference::Disposition::paused || is_of_unread(history, row)) return;
  const std::vector<StoreTime> slots = slots_of(row, *version);
  if (slots.empty() || !owns(*version, slots.back())) return;
  if (row.row.due != due_time(version->definition, version->schedule, slots.back()))
    wrongs.push_back({row.at, describe(slots.back()) + " is committed as due at " + describe(row.row.due)});
}

}  // namespace

std::vector<Wrong> no_drift(const Case& run) {
  const ScheduleHistory schedules(run.history);
  std::vector<Wrong> wrongs;
  for (const LedgerRow& row : schedules.rows()) {
    judge_due(run.history, schedules, row, wrongs);
    if (row.row.what != reference::Disposition::fired) continue;
    const std::optional<Version> version = schedules.version_of(row);
    const std::string what = describe(row.row.slot) + ", committed by " + describe(row.who);
    if (!version || !owns(*version, row.row.slot))
      wrongs.push_back({row.at, what + ", is no slot of its version"});
    else if (version->definition.paused)
      wrongs.push_back({row.at, what + ", was to be paused"});
  }
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const auto* landed = std::get_if<KeptArrival>(&run.history.facts[place].fact);
    if (landed == nullptr || landed->landing != sim::DeliveryOutcome::begun) continue;
    const reference::EventId& event = landed->item.event;
    // Decided on by what the branch of its token had come to; or, by a leader who reads on, by what there is now.
    const std::size_t then = schedules.horizon_of(landed->item.token, place);
    const bool right = event.run == 0
                           ? in_force(schedules, event, then) || in_force(schedules, event, place)
                           : asked_by_hand(schedules, event, then) || asked_by_hand(schedules, event, place);
    if (!right)
      wrongs.push_back({run.history.facts[place].at, describe(event) + " is no slot of a version in force"});
  }
  // Once a schedule is deleted, it is neither edited nor run.
  for (const LateEdit& edit : schedules.edits_after_deletes())
    wrongs.push_back({edit.at, describe(edit.who) + " edits what is deleted"});
  return wrongs;
}

}  // namespace tenure::judging
