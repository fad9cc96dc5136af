// The versioned record: get, and put by compare-and-set.
//
// A put is stored iff it names the present version (0: no record exists). It gets a version larger than any that the
// store gave before, to any resource, like revisions of a key-value store. The clock plays no part.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/stores/machine_of.h"
#include "sim/stores/record/requests.h"

namespace tenure::record {

class RecordStore final : public PlainStore<RecordStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  Reply answer(const Get& asked, StoreTime);
  Reply answer(const Put& asked, StoreTime);

 private:
  std::map<ResourceId, Found> records_;
  std::uint64_t last_version_ = 0;
};

}  // namespace tenure::record
