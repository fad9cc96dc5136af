// What the leader writes: fires and holds. And the end of schedules that have no slot left.
#include <optional>
#include <string>

#include "core/store/reference/rules.h"

namespace tenure::reference {

Reply ReferenceRules::apply(const CommitFires& asked) {
  if (const auto why = denial(asked)) return CommitRefused{.why = *why, .held = false};
  if (held()) return CommitRefused{.held = true};

  Committed committed;
  committed.rows.reserve(asked.rows.size());
  for (const LedgerRow& row : asked.rows) {
    std::optional<DeliveryRules> rules;
    RowResult result = tables_.segments.cover(row, now_, rules);
    if (result == RowResult::covered && row.what == Disposition::fired) {
      result = fire(row, rules);
    } else if (result == RowResult::covered && !is_end(row)) {
      tables_.exceptions.add(row);
      tables_.history.add(row, now_);
    }
    committed.rows.push_back(result);
  }
  return committed;
}

RowResult ReferenceRules::fire(const LedgerRow& row, const std::optional<DeliveryRules>& rules) {
  if (rules && is_overlapped(*rules, tables_.waiting.count(row.schedule))) {
    tables_.exceptions.add(as_overlapped(row));
    tables_.history.add(as_overlapped(row), now_);
    return RowResult::overlapped;
  }
  if (row.slots > 1)
    for (const LedgerRow& rest : coalesced_around(row)) tables_.exceptions.add(rest);
  if (rules && rules->overlap == Overlap::replace) replace(row.schedule);
  add_event({.schedule = row.schedule, .slot = row.slot, .run = 0}, row.version, rules);
  tables_.history.add(row, now_);
  return RowResult::covered;
}

Reply ReferenceRules::apply(const SetHold& asked) {
  if (const auto why = denial(asked)) return CommitRefused{.why = *why, .held = false};
  tables_.hold = Hold{.since = now_, .jump = asked.jump};
  return HoldSet{tables_.hold};
}

Reply ReferenceRules::apply(const ClearHold& asked) {
  if (const auto why = denial(asked)) return CommitRefused{.why = *why, .held = false};
  tables_.hold.reset();
  tables_.waiting.count_again(now_, true);
  for (const auto& [id, begin] : tables_.segments.draw_back(now_)) {
    Schedule& schedule = *tables_.schedules.find(id);
    schedule.since = begin;
    tables_.schedules.save(schedule);
  }
  return HoldSet{tables_.hold};
}

void ReferenceRules::delete_finished(ResourceId resource, const std::vector<ScheduleId>& schedules) {
  for (const ScheduleId id : schedules)
    remove(resource, *tables_.schedules.find(id), {LogAction::deleted, std::string(kRetentionActor), {}});
}

}  // namespace tenure::reference
