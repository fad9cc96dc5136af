// The versioned record: get, and put by compare-and-set.
//
// A put is stored iff it names the present version (0: no record exists). It gets a version larger than any that the
// store gave before, to any resource, like revisions of a key-value store. The clock plays no part.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/record/requests.h"

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
