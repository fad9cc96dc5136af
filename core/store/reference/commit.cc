// What the leader writes: fires, holds, and the end of retention.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/store/reference/partition.h"

namespace tenure::reference {

Reply Partition::apply(const CommitFires& asked, Context& context) {
  if (const auto why = lease_.denial(asked.holder, asked.token, context.branch, context.now)) {
    return CommitRefused{.why = *why, .held = false};
  }
  if (hold_) return CommitRefused{.held = true};

  Committed committed;
  committed.rows.reserve(asked.rows.size());
  for (const LedgerRow& row : asked.rows) {
    std::optional<DeliveryRules> rules;  // before the segment is forgotten, perhaps
    if (const DeliveryRules* known = segments_.rules({row.schedule, row.version})) rules = *known;
    RowResult result = segments_.cover(row, context.now);
    if (result == RowResult::covered && row.what == Disposition::fired) {
      result = fire(row, rules, context.now);
    } else if (result == RowResult::covered) {
      exceptions_.add(row);
      history_.add(row, context.now);
    }
    committed.rows.push_back(result);
  }
  return committed;
}

RowResult Partition::fire(const LedgerRow& row, const std::optional<DeliveryRules>& rules, StoreTime now) {
  if (rules && is_overlapped(*rules, waiting_.count(row.schedule))) {
    exceptions_.add(as_overlapped(row));
    history_.add(as_overlapped(row), now);
    return RowResult::overlapped;
  }
  if (row.slots > 1)
    for (const LedgerRow& rest : coalesced_around(row)) exceptions_.add(rest);
  if (rules && rules->overlap == Overlap::replace)
    for (WaitingTable::Left& event : waiting_.replace(row.schedule, now)) left(std::move(event), now);
  add_event({.schedule = row.schedule, .slot = row.slot, .run = 0}, row.version, rules ? &*rules : nullptr,
            now);
  history_.add(row, now);
  return RowResult::covered;
}

Reply Partition::apply(const SetHold& asked, Context& context) {
  if (const auto why = lease_.denial(asked.holder, asked.token, context.branch, context.now)) {
    return CommitRefused{.why = *why, .held = false};
  }
  hold_ = Hold{.since = context.now, .jump = asked.jump};
  return HoldSet{hold_};
}

Reply Partition::apply(const ClearHold& asked, Context& context) {
  if (const auto why = lease_.denial(asked.holder, asked.token, context.branch, context.now)) {
    return CommitRefused{.why = *why, .held = false};
  }
  hold_.reset();
  waiting_.count_again(context.now);
  if (segments_.may_begin_after(context.now)) {
    for (const auto& [id, schedule] : schedules_) draw_back(id, context.now);
  }
  return HoldSet{hold_};
}

Reply Partition::apply(const Prune& asked, Context& context) {
  std::uint64_t rows = exceptions_.prune(asked.before, asked.limit);
  rows += changes_.prune(asked.before, asked.limit - rows, segments_);
  rows += prune_runs(asked.before, asked.limit - rows);
  rows += outbox_.prune_dead(asked.before, asked.limit - rows);
  rows += payloads_.prune(asked.before, asked.limit - rows, segments_, outbox_, waiting_);
  rows += waiting_.prune(asked.before, asked.limit - rows);
  rows += history_.prune(asked.before, asked.keep_history, asked.limit - rows);
  rows += nodes_.prune(asked.before, asked.limit - rows);
  return Pruned{rows + delete_finished(asked, asked.limit - rows, context)};
}

std::uint64_t Partition::delete_finished(const Prune& asked, std::uint64_t limit, Context& context) {
  std::vector<std::pair<StoreTime, ScheduleId>> old;
  for (const auto& [id, schedule] : schedules_) {
    if (schedule.deleted || outbox_.knows(id) || waiting_.count(id) > 0) continue;
    const auto since = segments_.finished({id, schedule.version});
    if (since && *since <= asked.before) old.emplace_back(*since, id);
  }
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [since, id] : old)
    remove(asked.resource, id, schedules_.at(id), {LogAction::deleted, std::string(kRetentionActor), {}},
           context);
  return old.size();
}

std::uint64_t Partition::prune_runs(StoreTime before, std::uint64_t limit) {
  std::vector<std::pair<StoreTime, Run>> old;
  for (const auto& [run, asked] : runs_)
    if (asked.committed < before) old.emplace_back(asked.committed, run);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [committed, run] : old) runs_.erase(run);
  return old.size();
}

}  // namespace tenure::reference
