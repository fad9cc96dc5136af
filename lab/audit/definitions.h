// The schedules' definitions, as the change feed told them to those who wrote journals (version 4).
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "sim/checkers/checker.h"

namespace tenure::sim {

struct Definitions {
  // Of each schedule, all versions from the first that is known on, without a gap.
  std::map<ScheduleId, std::vector<reference::Change>> versions;
  std::map<ScheduleId, std::vector<reference::Change>> deletes;  // of those schedules
  // How much work one node may have running; nullopt: some node does not say.
  std::optional<std::int64_t> max_running;
  // Until what is due is committed, or another may try: the longest stall_timeout; nullopt: likewise, or there is none.
  std::optional<Duration> stall_timeout;

  const reference::Change* find(ScheduleId schedule, std::uint32_t version) const;
  // Whether what holds at `slot` is known.
  bool known_at(ScheduleId schedule, StoreTime slot) const;
  // As the edits that clients made.
  void tell(Checker& checker) const;
};

// Empty where a journal is older than version 4, or where the store failed over and may have taken edits back.
Definitions definitions_of(const std::vector<NodeJournal>& journals);
// When clients made edits, for what positions show (position_evidence.h).
std::map<ResourceId, std::vector<StoreTime>> edits_of(const std::vector<NodeJournal>& journals);

}  // namespace tenure::sim
