#include "sim/stores/counter/counter_store.h"

namespace tenure::counter {

Reply CounterStore::answer(const Increment& asked, StoreTime) { return Counted{++counts_[asked.resource]}; }

void CounterStore::hash(Hasher& hasher, StoreTime) const {
  for (const auto& [resource, count] : counts_) hasher.add(resource).add(count);
}

}  // namespace tenure::counter
