// A number for each resource, which only grows.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/counter/requests.h"

namespace tenure::counter {

class CounterStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request&) const override { return RowLock::none; }
  void promote(std::uint32_t) override {}
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  std::map<ResourceId, std::uint64_t> counts_;
};

}  // namespace tenure::counter
