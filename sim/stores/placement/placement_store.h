// A table of items and workers: who runs what.
//
//   1. An item has one worker, or none. Its version counts its assignments.
//   2. A guarded assignment is carried out iff it names the item's present version.
//   3. An assignment with a term is carried out iff no greater one was shown before; the greatest is remembered. One
//      without a term is not held against it.
//   4. A worker is there from its first report until it leaves. What is assigned to it stays assigned: who is silent,
//      or gone, is for the leader to see.
//
// The store's clock says for how long a worker has been silent, and decides nothing.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/stores/machine_of.h"
#include "sim/stores/placement/requests.h"

namespace tenure::placement {

class PlacementStore final : public PlainStore<PlacementStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  Reply answer(const ReportWork& asked, StoreTime now);
  Reply answer(const ListPlacements& asked, StoreTime now);
  Reply answer(const AssignItem& asked, StoreTime now);

 private:
  std::map<std::int64_t, PlacedItem> items_;   // that were ever assigned
  std::map<std::int64_t, StoreTime> workers_;  // when each has reported last
  std::int64_t term_ = 0;                      // the greatest that was shown
};

}  // namespace tenure::placement
