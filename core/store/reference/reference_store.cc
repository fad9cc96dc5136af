#include "core/store/reference/reference_store.h"

#include "core/base/check.h"

namespace tenure::reference {

bool ReferenceStore::handles(const tenure::Request& request) const {
  return std::holds_alternative<Request>(request);
}

tenure::Reply ReferenceStore::apply(const tenure::Request& request, StoreTime store_now,
                                    std::vector<Notification>& notifications) {
  CHECK(handles(request), "a request of another store's family");
  Context context{.now = store_now, .branch = branch_, .notifications = notifications};
  const auto apply = [&](const auto& asked) {
    Partition& partition = partitions_[asked.resource];
    if (keeps_history_) partition.keep_history();
    return partition.apply(asked, context);
  };
  return std::visit(apply, std::get<Request>(request));
}

RowLock ReferenceStore::lease_lock(const tenure::Request& request) const {
  struct Lock {
    RowLock operator()(const Acquire&) const { return RowLock::update; }
    RowLock operator()(const Release&) const { return RowLock::update; }
    RowLock operator()(const Renew&) const { return RowLock::no_key_update; }
    // Those that show a token and write other rows: the lease must stay as it is until they are done.
    RowLock operator()(const CommitFires&) const { return RowLock::key_share; }
    RowLock operator()(const SetHold&) const { return RowLock::key_share; }
    RowLock operator()(const ClearHold&) const { return RowLock::key_share; }
    RowLock operator()(const GiveUpEvents&) const { return RowLock::key_share; }

    RowLock operator()(const PutSchedule&) const { return RowLock::none; }
    RowLock operator()(const DeleteSchedule&) const { return RowLock::none; }
    RowLock operator()(const TriggerSchedule&) const { return RowLock::none; }
    RowLock operator()(const BackfillSchedule&) const { return RowLock::none; }
    RowLock operator()(const PutNamed&) const { return RowLock::none; }
    RowLock operator()(const DeleteNamed&) const { return RowLock::none; }
    RowLock operator()(const PauseNamed&) const { return RowLock::none; }
    RowLock operator()(const ReadNamed&) const { return RowLock::none; }
    RowLock operator()(const ListNamed&) const { return RowLock::none; }
    RowLock operator()(const ReadPayloads&) const { return RowLock::none; }
    RowLock operator()(const ReadLog&) const { return RowLock::none; }
    RowLock operator()(const ReadDue&) const { return RowLock::none; }
    RowLock operator()(const ReadOutbox&) const { return RowLock::none; }
    RowLock operator()(const AckEvents&) const { return RowLock::none; }
    RowLock operator()(const ReadDead&) const { return RowLock::none; }
    RowLock operator()(const Redrive&) const { return RowLock::none; }
    RowLock operator()(const DiscardDead&) const { return RowLock::none; }
    RowLock operator()(const ChangesSince&) const { return RowLock::none; }
    RowLock operator()(const Prune&) const { return RowLock::none; }
    RowLock operator()(const ReadHistory&) const { return RowLock::none; }
    RowLock operator()(const ReadWaiting&) const { return RowLock::none; }
    RowLock operator()(const ReadDepths&) const { return RowLock::none; }
    RowLock operator()(const ClaimExecutions&) const { return RowLock::none; }
    RowLock operator()(const ExtendExecutions&) const { return RowLock::none; }
    RowLock operator()(const EndExecutions&) const { return RowLock::none; }
    RowLock operator()(const ReleaseExecutions&) const { return RowLock::none; }
    RowLock operator()(const RegisterNode&) const { return RowLock::none; }
    RowLock operator()(const ReadNodes&) const { return RowLock::none; }
  };
  CHECK(handles(request), "a request of another store's family");
  return std::visit(Lock{}, std::get<Request>(request));
}

void ReferenceStore::promote(std::uint32_t branch) {
  CHECK(branch > branch_, "branches grow from promotion to promotion");
  branch_ = branch;
}

std::unique_ptr<StoreMachine> ReferenceStore::clone() const {
  return std::make_unique<ReferenceStore>(*this);
}

void ReferenceStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(branch_);
  for (const auto& [resource, partition] : partitions_) {
    if (partition.untouched()) continue;
    hasher.add(resource);
    partition.hash(hasher, now);
  }
}

Lease ReferenceStore::lease(ResourceId resource) const {
  const auto found = partitions_.find(resource);
  return found == partitions_.end() ? Lease{} : found->second.lease();
}

Ledger ReferenceStore::ledger(ResourceId resource) const {
  const auto found = partitions_.find(resource);
  return found == partitions_.end() ? Ledger{} : found->second.ledger();
}

}  // namespace tenure::reference
