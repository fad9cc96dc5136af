// A number for each resource, which only grows.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>

#include "sim/stores/counter/requests.h"
#include "sim/stores/machine_of.h"

namespace tenure::counter {

class CounterStore final : public PlainStore<CounterStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  Reply answer(const Increment& asked, StoreTime now);

 private:
  std::map<ResourceId, std::uint64_t> counts_;
};

}  // namespace tenure::counter
