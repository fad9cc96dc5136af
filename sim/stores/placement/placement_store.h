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
#include <memory>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/placement/requests.h"

namespace tenure::placement {

class PlacementStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request&) const override { return RowLock::none; }  // no lease row
  void promote(std::uint32_t) override {}                                              // it knows no branch
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  Reply answer(const ReportWork& asked, StoreTime now);
  Reply answer(const ListPlacements& asked, StoreTime now);
  Reply answer(const AssignItem& asked, StoreTime now);

  std::map<std::int64_t, PlacedItem> items_;   // that were ever assigned
  std::map<std::int64_t, StoreTime> workers_;  // when each has reported last
  std::int64_t term_ = 0;                      // the greatest that was shown
};

}  // namespace tenure::placement
