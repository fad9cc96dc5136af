// Who holds the lease, by the store's own answers: whom a fault on the `leader` strikes. When the store fails over, it
// is whoever the replica knows of.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include "core/base/ids.h"
#include "sim/world/record.h"

namespace tenure::sim {

class HolderTracker {
 public:
  // True if the record gave the lease to a new holder.
  bool see(const Record& record);
  Incarnation holder() const { return holder_; }  // number 0: nobody

 private:
  Incarnation holder_;
  Incarnation replica_holder_;  // while a replica stands still, or after that
};

}  // namespace tenure::sim
