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

#include "core/base/hash.h"
#include "core/store/reference/outbox.h"
#include "core/store/reference/segments.h"
#include "core/store/reference/waiting.h"

namespace tenure::reference {

class PayloadTable {
 public:
  // From `key` on, which begins at `at`, the schedule's versions have this payload.
  void put(SegmentKey key, const Payload& payload, StoreTime at);
  // The schedule was deleted at `at`; `key` was its last version.
  void close(SegmentKey key, StoreTime at);
  // Empty when there is none.
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
  using PayloadRows = std::map<SegmentKey, PayloadRow>;

  // The row that speaks for `key`; end() when there is none.
  PayloadRows::const_iterator row_of(SegmentKey key) const;

  PayloadRows rows_;  // by the first version
};

}  // namespace tenure::reference
