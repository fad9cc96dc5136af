// The plain lease table: who holds a lock, and until when. One conditional upsert changes it.
//
// The holder can always change its row; others can once expires_at < now, strictly: at the exact instant of its end the
// lock is still held. There is no token and no release, and the clock is always trusted. These weak points of the
// designs that use such a table belong to the model.
//
// Thread rule: as StoreMachine.
#pragma once

#include <map>
#include <vector>

#include "sim/stores/lease_table/requests.h"
#include "sim/stores/machine_of.h"

namespace tenure::lease_table {

class LeaseTableStore final : public PlainStore<LeaseTableStore, Request> {
 public:
  RowLock lease_lock(const tenure::Request&) const override;
  void hash(Hasher& hasher, StoreTime now) const override;
  Reply answer(const TryLock& asked, StoreTime now);
  Reply answer(const Beat& asked, StoreTime now);

 private:
  struct LeaseRow {
    Incarnation holder;
    StoreTime expires_at;  // or the heartbeat
  };
  // Writes the row, unless another holder has it with a time that is not before `free_before`.
  Reply upsert(ResourceId resource, const LeaseRow& mine, StoreTime free_before);

  std::map<ResourceId, LeaseRow> rows_;
};

}  // namespace tenure::lease_table
