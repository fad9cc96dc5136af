// The payloads of schedules, each for the versions that have it.
//
//   1. A row speaks for the versions [version, last] of its schedule. Rows of one schedule do not overlap. A version
//      that no row speaks for has an empty payload.
//   2. The row in force has no last version and no end yet. A version that changes nothing of the payload makes no row.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/base/hash.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"
#include "core/store/reference/waiting.h"

namespace tenure::reference {

class PayloadTable final : public PayloadRows {
 public:
  void put(SegmentKey key, const Payload& payload, StoreTime at) override;
  void close(SegmentKey key, StoreTime at) override;
  const Payload& find(SegmentKey key) override { return std::as_const(*this).find(key); }
  const Payload& find(SegmentKey key) const;

  // Forgets payloads that were replaced, or whose schedule was deleted, by `before`, and that neither a segment nor an
  // event needs: at most `limit`, the earliest end first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit, const SegmentTable& live,
                      const OutboxQueue& outbox, const WaitingTable& waiting);
  void hash(Hasher& hasher) const;

 private:
  struct PayloadRow {
    std::uint32_t last = UINT32_MAX;  // this: it is in force
    StoreTime ended = StoreTime::max();
    Payload payload;
  };
  using Map = std::map<SegmentKey, PayloadRow>;

  // The row that speaks for `key`; end() when there is none.
  Map::const_iterator row_of(SegmentKey key) const;

  Map rows_;  // by the first version
};

}  // namespace tenure::reference
