#include "core/store/counter/counter_store.h"

namespace tenure::counter {

bool CounterStore::handles(const tenure::Request& request) const {
  return std::holds_alternative<Request>(request);
}

tenure::Reply CounterStore::apply(const tenure::Request& request, StoreTime, std::vector<Notification>&) {
  const auto& asked = std::get<Increment>(std::get<Request>(request));
  return Reply{Counted{++counts_[asked.resource]}};
}

std::unique_ptr<StoreMachine> CounterStore::clone() const { return std::make_unique<CounterStore>(*this); }

void CounterStore::hash(Hasher& hasher, StoreTime) const {
  for (const auto& [resource, count] : counts_) hasher.add(resource).add(count);
}

}  // namespace tenure::counter
