// The versioned record: get, and put by compare-and-set.
//
// A put is stored iff it names the version that is there now (0: none is there). The version that it gets is
// larger than any that the store gave before, to whichever resource, as revisions of one key-value store are.
// The clock plays no part.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/store/store_machine.h"

namespace tenure::record {

class RecordStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request&) const override { return RowLock::none; }  // no row
  void promote(std::uint32_t) override {}  // records know no branch
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  Reply answer(const Get& asked);
  Reply answer(const Put& asked);

  std::map<ResourceId, Found> records_;
  std::uint64_t last_version_ = 0;
};

}  // namespace tenure::record
