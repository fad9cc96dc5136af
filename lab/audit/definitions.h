// The schedules' definitions, as the change feed told them to those who wrote journals (version 4).
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "sim/checkers/checker.h"

namespace tenure::sim {

struct Definitions {
  // Of each schedule, all versions from the first that is known on, without a gap.
  std::map<ScheduleId, std::vector<reference::Change>> versions;
  std::map<ScheduleId, std::vector<reference::Change>> deletes;  // of those schedules
  std::map<ScheduleId, ResourceId> resources;                    // likewise
  // Schedules of which not all is known: a version that was not told or cannot be read, one that was told in two ways,
  // or one schedule of two resources.
  std::set<ScheduleId> unclear;
  // After a failover only what was told of the newest branch: the others' edits may be gone.
  std::uint32_t branch = 0;
  bool failed_over = false;
  // How much work one node may have running, at most; nullopt: some node does not say.
  std::optional<std::int64_t> max_running;
  // Until what is due is committed, or another may try: the longest stall_timeout; nullopt: likewise, or there is none.
  std::optional<Duration> stall_timeout;

  const reference::Change* find(ScheduleId schedule, std::uint32_t version) const;
  // Whether what holds at `slot` is known.
  bool known_at(ScheduleId schedule, StoreTime slot) const;
  // As the edits that clients made.
  void tell(Checker& checker) const;
};

// Empty where a journal is older than version 4.
Definitions definitions_of(const std::vector<NodeJournal>& journals);
// When clients made edits, for what positions show (position_evidence.h).
std::map<ResourceId, std::vector<StoreTime>> edits_of(const std::vector<NodeJournal>& journals);

}  // namespace tenure::sim
