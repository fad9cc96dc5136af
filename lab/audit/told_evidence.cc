#include "lab/audit/told_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// By which line of the life's journal a version had been told.
using ToldVersions = std::map<std::pair<ScheduleId, std::uint32_t>, std::size_t>;

ToldVersions told_to(const LifeHistory& life) {
  ToldVersions told;
  for (const JournalCall& call : life.calls) {
    if (!call.applied()) continue;
    const auto* changes = call.answered->reply_as<reference::Changes>();
    if (changes == nullptr) continue;
    for (const reference::Change& change : changes->changes) {
      const std::pair version{change.segment.schedule, change.segment.version};
      const auto known = told.try_emplace(version, call.answered_line).first;
      known->second = std::min(known->second, call.answered_line);
    }
  }
  return told;
}

// A life that writes the settings of its scheduler (version 4) writes what the change feed told it, too.
bool says_all(const LifeHistory& life) {
  if (!life.begins()) return false;
  const auto& began = std::get<journal::LifeBegan>(life.lines.front().line->event);
  return began.settings.contains("scheduling.max_running");
}

}  // namespace

void compare_told(const JournalHistory& history, const Names& names, AuditFindings& findings) {
  std::map<ScheduleId, Incarnation> untold;
  for (const auto& [who, life] : history.lives) {
    if (!says_all(life)) continue;
    const ToldVersions told = told_to(life);
    for (const JournalCall& call : life.calls) {
      const auto* commit = reference_request<reference::CommitFires>(call.asked->submission.request);
      if (commit == nullptr) continue;
      for (const reference::LedgerRow& row : commit->rows) {
        const auto known = told.find({row.schedule, row.version});
        if (known == told.end() || known->second >= call.line) untold.try_emplace(row.schedule, who);
      }
    }
  }
  if (untold.empty()) return;
  const auto& [schedule, who] = *untold.begin();
  findings.lacks(
      fmt::format("{} of which commits name versions that no answer told who commits them, the first {} of "
                  "{}: lines are missing",
                  untold.size() == 1 ? "a schedule" : fmt::format("{} schedules", untold.size()),
                  names.schedule(schedule), names.who(who)));
}

}  // namespace tenure::sim
