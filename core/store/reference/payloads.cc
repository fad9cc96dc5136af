#include "core/store/reference/payloads.h"

#include <iterator>
#include <optional>

#include "core/store/reference/prune.h"

namespace tenure::reference {

PayloadTable::Map::const_iterator PayloadTable::row_of(SegmentKey key) const {
  auto it = rows_.upper_bound(key);
  if (it == rows_.begin()) return rows_.end();
  --it;
  const bool speaks = it->first.schedule == key.schedule && key.version <= it->second.last;
  return speaks ? it : rows_.end();
}

const Payload& PayloadTable::find(SegmentKey key) const {
  static const Payload kNone;
  const auto it = row_of(key);
  return it == rows_.end() ? kNone : it->second.payload;
}

void PayloadTable::put(SegmentKey key, const Payload& payload, StoreTime at) {
  if (find(key) == payload) return;
  if (key.version > 1) close({key.schedule, key.version - 1}, at);
  if (payload != Payload{}) rows_.emplace(key, PayloadRow{.payload = payload});
}

void PayloadTable::close(SegmentKey key, StoreTime at) {
  const auto it = row_of(key);
  if (it == rows_.end() || it->second.last != UINT32_MAX) return;
  PayloadRow& row = rows_.at(it->first);
  row.last = key.version;
  row.ended = at;
}

std::uint64_t PayloadTable::prune(StoreTime before, std::uint64_t limit, const SegmentTable& live,
                                  const OutboxQueue& outbox, const WaitingTable& waiting) {
  return prune_earliest(rows_, limit, [&](SegmentKey key, const PayloadRow& row) {
    const bool is_old = row.last != UINT32_MAX && row.ended <= before && !live.contains_any(key, row.last) &&
                        !outbox.needs(key.schedule, key.version, row.last) &&
                        !waiting.needs(key.schedule, key.version, row.last);
    return is_old ? std::optional(row.ended) : std::nullopt;
  });
}

void PayloadTable::hash(Hasher& hasher) const {
  if (rows_.empty()) return;  // as before there were payloads
  hasher.add(rows_.size());
  for (const auto& [key, row] : rows_) {
    const auto& [topic, type, data, labels, description] = row.payload;
    hasher.add(key.schedule).add(key.version).add(row.last).add(row.ended);
    hasher.add(topic).add(type).add(data).add(description).add(labels.size());
    for (const Label& label : labels) hasher.add(label.name).add(label.value);
  }
}

}  // namespace tenure::reference
