#include "core/store/reference/reference_store.h"

#include "core/base/check.h"
#include "core/base/one_of.h"

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
  CHECK(handles(request), "a request of another store's family");
  const auto lock = []<class Asked>(const Asked&) {
    if constexpr (kIsOneOf<Asked, Acquire, Release>) return RowLock::update;
    if constexpr (kIsOneOf<Asked, Renew>) return RowLock::no_key_update;
    // Those that show a token and write other rows: the lease must stay as it is until they are done.
    return requires(const Asked& it) { it.token; }
    ? RowLock::key_share : RowLock::none;
  };
  return std::visit(lock, std::get<Request>(request));
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
