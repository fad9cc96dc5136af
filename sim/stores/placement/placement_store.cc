#include "sim/stores/placement/placement_store.h"

#include <algorithm>

#include "sim/stores/message_kind.h"

namespace tenure::placement {

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

void PlacementStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(term_).add(items_.size()).add(workers_.size());
  for (const auto& [number, item] : items_) hasher.add(number).add(item.worker).add(item.version);
  for (const auto& [number, reported] : workers_) hasher.add(number).add(now - reported);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 12>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 12>; }

}  // namespace tenure::placement
