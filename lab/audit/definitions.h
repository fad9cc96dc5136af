// The schedules' definitions, as the change feed told them to the journals' writers.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lab/audit/history.h"
#include "sim/checkers/checker.h"

namespace tenure::lab {

// A destination that asks for a longer wait is taken to have asked for this (decision 63).
inline constexpr Duration kLongestAsked = Duration::hours(24);

struct Definitions {
  // For each schedule, all versions from the first known one on, without a gap.
  std::map<ScheduleId, std::vector<reference::Change>> versions;
  std::map<ScheduleId, std::vector<reference::Change>> deletes;  // of those schedules
  std::map<ScheduleId, ResourceId> resources;                    // likewise
  // Schedules that are not fully known: a version is missing, cannot be read, or differs between journals, or the
  // schedule has two resources.
  std::set<ScheduleId> unclear;
  // Of these, those of which two answers give one version different definitions: one of them was changed.
  std::set<ScheduleId> contradicted;
  // After a failover only definitions of the newest branch: edits of other branches may be gone.
  std::uint32_t branch = 0;
  bool failed_over = false;
  // How much work one node may have running; nullopt: some node does not say.
  std::optional<std::int64_t> max_running;
  // After which age an event for a destination is dead; nullopt: some node does not say.
  std::optional<Duration> destination_age;
  // The longest stall_timeout, after which another node may try; nullopt: likewise, or it is zero.
  std::optional<Duration> stall_timeout;

  const reference::Change* find(ScheduleId schedule, std::uint32_t version) const;
  // Whether the definition in force at `slot` is known.
  bool known_at(ScheduleId schedule, StoreTime slot) const;
  // The version in force at the event's slot; nullptr: it is not known.
  const reference::Change* at(const reference::EventId& event) const;
  // Whether the event is pulled, or sent to a destination, by the definition in force at its slot, if that is known.
  bool others_deliver(const reference::EventId& event) const;
  // Shows them to a checker as clients' edits.
  void tell(sim::Checker& checker) const;
};

Definitions definitions_of(const JournalHistory& history);
// When clients made edits of which the change feed tells and no client's line, for the comparison of positions
// (evidence.h).
std::map<ResourceId, std::vector<StoreTime>> edits_of(const JournalHistory& history);

}  // namespace tenure::lab
