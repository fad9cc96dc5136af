// What the leader writes: fires, holds, acknowledgements, and the end of retention.
#include <algorithm>

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
    const RowResult result = segments_.cover(row, context.now);
    committed.rows.push_back(result);
    if (result != RowResult::covered) continue;
    if (row.what == Disposition::fired) {
      outbox_.add({.schedule = row.schedule, .slot = row.slot, .run = 0}, row.version);
      if (row.slots > 1)
        for (const LedgerRow& rest : coalesced_around(row)) exceptions_.add(rest);
    } else {
      exceptions_.add(row);
    }
  }
  return committed;
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
  if (segments_.may_begin_after(context.now)) {
    for (const auto& [id, schedule] : schedules_) draw_back(id, context.now);
  }
  return HoldSet{hold_};
}

Reply Partition::apply(const AckEvents& asked, Context&) {
  for (const EventId& id : asked.events) outbox_.acknowledge(id);
  return Acknowledged{};
}

Reply Partition::apply(const GiveUpEvents& asked, Context& context) {
  for (const DeadEvent& dead : asked.events) check_well_formed(dead);
  if (const auto why = lease_.denial(asked.holder, asked.token, context.branch, context.now)) {
    return CommitRefused{.why = *why, .held = false};
  }
  for (const DeadEvent& dead : asked.events) outbox_.give_up(dead.id, dead.attempts, context.now);
  return GivenUp{};
}

Reply Partition::apply(const Redrive& asked, Context&) {
  Redriven redriven;
  for (const EventId& id : asked.events)
    if (outbox_.redrive(id)) ++redriven.events;
  return redriven;
}

Reply Partition::apply(const Prune& asked, Context&) {
  std::uint64_t rows = exceptions_.prune(asked.before, asked.limit);
  rows += changes_.prune(asked.before, asked.limit - rows, segments_);
  rows += prune_runs(asked.before, asked.limit - rows);
  rows += outbox_.prune_dead(asked.before, asked.limit - rows);
  return Pruned{rows + payloads_.prune(asked.before, asked.limit - rows, segments_, outbox_)};
}

std::uint64_t Partition::prune_runs(StoreTime before, std::uint64_t limit) {
  std::vector<std::pair<StoreTime, Run>> old;
  for (const auto& [run, asked] : runs_)
    if (asked < before) old.emplace_back(asked, run);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [asked, run] : old) runs_.erase(run);
  return old.size();
}

}  // namespace tenure::reference
