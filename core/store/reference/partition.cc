#include "core/store/reference/partition.h"

namespace tenure::reference {

Reply Partition::apply(const Acquire& asked, Context& context) {
  return lease_.acquire(asked, context.branch, context.now);
}

Reply Partition::apply(const Renew& asked, Context& context) {
  return lease_.renew(asked, context.branch, context.now);
}

Reply Partition::apply(const Release& asked, Context& context) {
  Reply reply = lease_.release(asked, context.branch, context.now);
  if (std::holds_alternative<Released>(reply)) {
    context.notifications.push_back({Notification::What::lease_freed, asked.resource});
  }
  return reply;
}

Reply Partition::apply(const ReadDue& asked, Context& context) {
  Due due;
  segments_.read(asked, due);
  due.change_seq = changes_.last();
  due.hold = hold_;
  due.branch = context.branch;
  return due;
}

Reply Partition::apply(const ReadHistory& asked, Context& context) {
  HistoryPage page;
  history_.read(asked, page);
  page.branch = context.branch;
  return page;
}

Reply Partition::apply(const RegisterNode& asked, Context& context) { return nodes_.add(asked, context.now); }

Reply Partition::apply(const ReadNodes&, Context&) { return nodes_.all(); }

Reply Partition::apply(const ChangesSince& asked, Context& context) {
  Changes changes;
  changes_.read(asked, changes);
  changes.hold = hold_;
  changes.branch = context.branch;
  return changes;
}

void Partition::hash(Hasher& hasher, StoreTime now) const {
  lease_.hash(hasher, now);
  hasher.add(schedules_.size());
  for (const auto& [id, schedule] : schedules_) {
    hasher.add(id).add(schedule.version).add(schedule.change_seq).add(schedule.deleted).add(schedule.name);
    hasher.add(schedule.pause.actor).add(schedule.pause.why);
    add(hasher, schedule.definition);
  }
  payloads_.hash(hasher);
  segments_.hash(hasher);
  exceptions_.hash(hasher);
  changes_.hash(hasher);
  outbox_.hash(hasher);
  waiting_.hash(hasher);
  history_.hash(hasher);
  nodes_.hash(hasher);
  hasher.add(runs_.size());
  for (const auto& [run, asked] : runs_) {
    hasher.add(run.first).add(run.second).add(asked.committed);
    hasher.add(asked.at).add(asked.digest);
  }
  hasher.add(hold_.has_value());
  if (hold_) hasher.add(hold_->since).add(hold_->jump);
}

}  // namespace tenure::reference
