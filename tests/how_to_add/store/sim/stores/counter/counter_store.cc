#include "sim/stores/counter/counter_store.h"

namespace tenure::counter {

bool CounterStore::handles(const tenure::Request& request) const {
  return message_as<Request>(request) != nullptr;
}

tenure::Reply CounterStore::apply(const tenure::Request& request, StoreTime, std::vector<Notification>&) {
  const auto& asked = std::get<Increment>(*message_as<Request>(request));
  return Reply{Counted{++counts_[asked.resource]}};
}

std::unique_ptr<StoreMachine> CounterStore::clone() const { return std::make_unique<CounterStore>(*this); }

void CounterStore::hash(Hasher& hasher, StoreTime) const {
  for (const auto& [resource, count] : counts_) hasher.add(resource).add(count);
}

}  // namespace tenure::counter
