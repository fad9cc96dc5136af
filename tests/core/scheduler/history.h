// What every history of fires must satisfy, recomputed from the definitions alone.
//
// Thread rule: pure functions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/scheduler/mini_cluster.h"

namespace tenure::testing {

// Seconds since the world began, for messages.
inline double seconds(StoreTime t) { return static_cast<double>(t.ns() - kEpochNs) / 1e9; }

// Slots by counting up from the start: nothing in common with the code under test.
inline std::vector<StoreTime> slots_of(const Version& version, StoreTime until) {
  const Definition& definition = version.definition;
  const StoreTime begin = std::max(version.begin, definition.not_before);
  const StoreTime end = std::min({version.end, definition.until, until});
  std::vector<StoreTime> slots;
  if (const auto* times = std::get_if<Times>(&definition.recurrence)) {
    for (const StoreTime slot : *times->at)
      if (begin <= slot && slot < end) slots.push_back(slot);
    return slots;
  }
  const Interval& interval = std::get<Interval>(definition.recurrence);
  for (StoreTime slot = interval.start; slot < end; slot += interval.period)
    if (slot >= begin) slots.push_back(slot);
  return slots;
}

struct Findings {
  std::vector<std::string> wrong;
  std::uint64_t slots = 0, fired = 0, coalesced = 0, missed = 0, paused = 0, overlapped = 0, deleted = 0;
};

// Every slot before `until` is covered by exactly one row, and what fired was begun exactly once, in order.
// While the store's clock steps, what a leader takes to be late need not be late any more when it commits.
inline Findings judge(const LittleWorld& world, StoreTime until, bool clock_steps = false) {
  Findings found;
  const auto complain = [&found](std::string text) { found.wrong.push_back(std::move(text)); };
  std::map<std::pair<ScheduleId, std::uint32_t>, std::vector<const CommittedRow*>> by_segment;
  for (const CommittedRow& row : world.rows) by_segment[{row.row.schedule, row.row.version}].push_back(&row);

  std::set<reference::EventId> owed(world.manual_runs.begin(), world.manual_runs.end());
  for (const Version& version : world.versions) {
    const auto& rows = by_segment[{version.schedule, version.version}];
    const std::string name = fmt::format("schedule {} v{}", version.schedule.value, version.version);
    const auto due = [&](StoreTime slot) { return due_time(version.definition, version.schedule, slot); };
    for (const StoreTime slot : slots_of(version, until)) {
      if (due(slot) >= until) continue;
      ++found.slots;
      std::vector<const CommittedRow*> covering;
      for (const CommittedRow* row : rows)
        if (row->row.from <= slot && slot < row->row.to) covering.push_back(row);
      if (covering.empty() && version.deleted_at_end) {
        ++found.deleted;
      } else if (covering.size() != 1) {
        complain(fmt::format("{} slot {} is covered {} times", name, seconds(slot), covering.size()));
      } else {
        const reference::LedgerRow& row = covering[0]->row;
        const bool coalesced = row.what == reference::Disposition::fired && row.slots > 1 && row.slot != slot;
        switch (row.what) {
          case reference::Disposition::fired: ++(coalesced ? found.coalesced : found.fired); break;
          case reference::Disposition::coalesced: ++found.coalesced; break;
          case reference::Disposition::missed: ++found.missed; break;
          case reference::Disposition::paused: ++found.paused; break;
          case reference::Disposition::overlapped: ++found.overlapped; break;
          case reference::Disposition::deleted: ++found.deleted; break;
          case reference::Disposition::replaced: complain("a row of the ledger says replaced"); break;
        }
        if (row.what == reference::Disposition::fired && row.slot != slot && !coalesced)
          complain(fmt::format("{} slot {} lies in the row of another", name, seconds(slot)));
        if ((row.what == reference::Disposition::paused) != version.definition.paused)
          complain(fmt::format("{} slot {} is recorded as paused wrongly", name, seconds(slot)));
        const bool late = due(slot) + version.definition.misfire.grace < covering[0]->store_now;
        if (row.what == reference::Disposition::overlapped && version.definition.overlap == Overlap::allow)
          complain(fmt::format("{} slot {} is suppressed although it may overlap", name, seconds(slot)));
        const bool catches_up = version.definition.misfire.catchup_window == Duration::max() &&
                                version.definition.misfire.catchup_limit() == Misfire::kNoLimit;
        if (row.what == reference::Disposition::missed && catches_up &&
            version.definition.misfire.policy != Misfire::Policy::skip)
          complain(fmt::format("{} slot {} was given up", name, seconds(slot)));
        if (coalesced && version.definition.misfire.policy != Misfire::Policy::fire_once)
          complain(fmt::format("{} slot {} was coalesced", name, seconds(slot)));
        const bool given_up = row.what == reference::Disposition::missed || coalesced;
        if (given_up && !late && !clock_steps)
          complain(fmt::format("{} slot {} was not late", name, seconds(slot)));
      }
    }
    for (const CommittedRow* row : rows) {
      if (row->row.what != reference::Disposition::fired) continue;
      owed.insert({version.schedule, row->row.slot, 0});
      if (due(row->row.slot) > row->store_now) complain(fmt::format("{} fired early", name));
      const auto slots = slots_of(version, row->row.slot + Duration::micros(1));
      if (slots.empty() || slots.back() != row->row.slot)
        complain(fmt::format("{} fired off its slots", name));
    }
  }

  std::set<reference::EventId> begun;
  std::map<const Version*, StoreTime> last;  // jitter may carry a slot beyond its version's end
  for (const BegunWork& work : world.begun) {
    const std::string name =
        fmt::format("schedule {} slot {}", work.event.schedule.value, seconds(work.event.slot));
    if (!begun.insert(work.event).second) complain(name + " was begun twice");
    if (!owed.contains(work.event)) complain(name + " was begun although nobody committed it");
    if (work.event.run != 0) continue;
    const Version* owner = nullptr;
    for (const Version& version : world.versions)
      if (version.schedule == work.event.schedule && version.begin <= work.event.slot &&
          work.event.slot < version.end)
        owner = &version;
    StoreTime& before = last.try_emplace(owner, StoreTime::min()).first->second;
    if (work.event.slot < before) complain(name + " was begun out of order");
    before = std::max(before, work.event.slot);
  }
  for (const reference::EventId& event : owed)
    if (event.slot < until && !begun.contains(event))
      complain(fmt::format("schedule {} slot {} was committed and never begun", event.schedule.value,
                           seconds(event.slot)));
  return found;
}

}  // namespace tenure::testing
