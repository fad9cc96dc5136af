// Tracks who holds the lease, by the store's own answers: a fault on the `leader` strikes this node. After a failover
// of the store it is the holder that the replica knows.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include "core/base/ids.h"
#include "sim/world/record.h"

namespace tenure::sim {

class HolderTracker {
 public:
  // True if the record gave the lease to a new holder.
  bool see(const Record& record) {
    constexpr std::uint32_t kReads = record_mask<Applied, StoreReplicaStalled, StoreFailedOver>();
    return ((kReads >> record.index()) & 1U) != 0 && take(record);
  }
  Incarnation holder() const { return holder_; }  // number 0: nobody

 private:
  bool take(const Record& record);

  Incarnation holder_;
  Incarnation replica_holder_;  // while a replica stands still, and after that
};

}  // namespace tenure::sim
