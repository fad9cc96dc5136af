#include "sim/checkers/trackers/overlap_judge.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>

namespace tenure::sim {

using reference::LedgerRow;
using reference::RowResult;

std::vector<std::pair<LedgerRow, WrongRow>> wrong_overlaps(const Applied& applied,
                                                           const EventRules& event_rules,
                                                           const ExecutionTracker& events) {
  std::vector<std::pair<LedgerRow, WrongRow>> wrong;
  const auto* asked = reference_request<reference::CommitFires>(applied.request);
  const auto* answer = reference_reply<reference::Committed>(applied.reply);
  if (asked == nullptr || answer == nullptr) return wrong;
  std::map<ScheduleId, std::size_t> fired;  // by this commit
  for (std::size_t i = 0; i < asked->rows.size() && i < answer->rows.size(); ++i) {
    const LedgerRow& row = asked->rows[i];
    const EventRules::Rules* rules = event_rules.of(row.schedule, row.version);
    if (rules == nullptr) continue;
    const std::size_t there = events.of_schedule(row.schedule).size() + fired[row.schedule];
    const bool overlaps =
        (rules->overlap == Overlap::skip && there > 0) || (rules->overlap == Overlap::queue_one && there > 1);
    const RowResult result = answer->rows[i];
    if (result == RowResult::overlapped && !overlaps) {
      wrong.emplace_back(
          reference::as_overlapped(row),
          WrongRow{row.slot, fmt::format("although only {} of its schedule's events waited", there)});
    } else if (result == RowResult::covered && row.what == reference::Disposition::overlapped) {
      wrong.emplace_back(row, WrongRow{row.from, "which is the store's to say"});
    } else if (result == RowResult::covered && row.what == reference::Disposition::fired) {
      if (overlaps)
        wrong.emplace_back(
            row, WrongRow{row.slot, fmt::format("although {} of its schedule's events waited", there)});
      ++fired[row.schedule];
    }
  }
  return wrong;
}

}  // namespace tenure::sim
