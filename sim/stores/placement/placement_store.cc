#include "sim/stores/placement/placement_store.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::placement {

bool PlacementStore::handles(const tenure::Request& request) const {
  return message_as<Request>(request) != nullptr;
}

tenure::Reply PlacementStore::apply(const tenure::Request& request, StoreTime store_now,
                                    std::vector<Notification>&) {
  CHECK(handles(request), "a request of another store's family");
  return std::visit([&](const auto& asked) { return answer(asked, store_now); },
                    *message_as<Request>(request));
}

Reply PlacementStore::answer(const ReportWork& asked, StoreTime now) {
  if (asked.leaves) {
    workers_.erase(asked.worker);
    return Yours{};
  }
  workers_.insert_or_assign(asked.worker, now);
  Yours yours;
  for (const auto& [number, item] : items_)
    if (item.worker == asked.worker) yours.items.push_back(number);
  return yours;
}

Reply PlacementStore::answer(const ListPlacements&, StoreTime now) {
  Placements listing;
  for (const auto& [number, item] : items_) listing.items.push_back(item);
  for (const auto& [number, reported] : workers_)
    listing.workers.push_back({number, std::max(now - reported, Duration{})});
  return listing;
}

Reply PlacementStore::answer(const AssignItem& asked, StoreTime) {
  const auto known = items_.find(asked.item);
  const auto version = known != items_.end() ? known->second.version : 0;
  if (asked.guarded && asked.seen != version) return NotAssigned{version};
  if (asked.term && *asked.term < term_) return NotAssigned{version};
  if (asked.term) term_ = *asked.term;
  PlacedItem& item = items_.try_emplace(asked.item, PlacedItem{asked.item, 0, 0}).first->second;
  item.worker = asked.worker;
  return Assigned{++item.version};
}

std::unique_ptr<StoreMachine> PlacementStore::clone() const {
  return std::make_unique<PlacementStore>(*this);
}

void PlacementStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(term_).add(items_.size()).add(workers_.size());
  for (const auto& [number, item] : items_) hasher.add(number).add(item.worker).add(item.version);
  for (const auto& [number, reported] : workers_) hasher.add(number).add(now - reported);
}

}  // namespace tenure::placement
