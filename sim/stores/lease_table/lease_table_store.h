// The plain lease table: who holds a lock, and until when. One conditional upsert changes it.
//
// The holder can always change its row; others can once expires_at < now, strictly: at the exact instant of its end the
// lock is still held. There is no token and no release, and the clock is always trusted. These weak points of the
// designs that use such a table belong to the model.
//
// Thread rule: as StoreMachine.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/lease_table/requests.h"

namespace tenure::lease_table {

class LeaseTableStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request& request) const override;
  void promote(std::uint32_t) override {}  // rows know no branch
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  struct LeaseRow {
    Incarnation holder;
    StoreTime expires_at;  // or the heartbeat
  };
  Reply answer(const TryLock& asked, StoreTime now);
  Reply answer(const Beat& asked, StoreTime now);
  // Writes the row, unless another holder has it with a time that is not before `free_before`.
  Reply upsert(ResourceId resource, const LeaseRow& mine, StoreTime free_before);

  std::map<ResourceId, LeaseRow> rows_;
};

}  // namespace tenure::lease_table
