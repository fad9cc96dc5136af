// The faults of a plan by their ids, which are drawn and in no order.
//
// Thread rule: immutable; the plan must outlive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

class PlanIndex {
 public:
  explicit PlanIndex(const std::vector<FaultSetting>& plan) {
    faults_.reserve(plan.size());
    for (const FaultSetting& fault : plan) faults_.emplace_back(fault.id, &fault);
    std::stable_sort(faults_.begin(), faults_.end(), by_id);
  }
  // nullptr when there is none.
  const FaultSetting* find(std::uint64_t id) const {
    const auto found = std::lower_bound(faults_.begin(), faults_.end(), Entry{id, nullptr}, by_id);
    return found != faults_.end() && found->first == id ? found->second : nullptr;
  }

 private:
  using Entry = std::pair<std::uint64_t, const FaultSetting*>;
  static bool by_id(const Entry& one, const Entry& other) { return one.first < other.first; }

  std::vector<Entry> faults_;
};

}  // namespace tenure::sim
