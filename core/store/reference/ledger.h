// The ledger: what became of each slot.
//
// A row for every fire would grow with time. So the machine keeps two things that together say the same: a watermark
// for each segment (its cursor: everything before it is covered), and the exceptions (the range rows that are not
// fires). A slot below its segment's watermark that is in no exception was fired.
//
// Adjacent exceptions with the same meaning are merged, so a schedule that stays paused costs one row.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/tables.h"

namespace tenure::reference {

class ExceptionTable final : public ExceptionRows {
 public:
  void add(const LedgerRow& row) override;
  // Forgets rows that lie wholly before `before`: at most `limit`, the earliest end first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  // All rows, by (schedule, version, from).
  std::vector<LedgerRow> all() const;
  void hash(Hasher& hasher) const;

 private:
  struct Key {
    SegmentKey segment;
    StoreTime from;
    constexpr auto operator<=>(const Key&) const = default;
  };
  struct StoredRow {
    StoreTime to;
    StoreTime slot;  // coalesced: into which; otherwise zero
    Disposition what = Disposition::missed;
  };
  std::map<Key, StoredRow> rows_;
};

// A resource's ledger at one moment, for adapters and tests to compare.
struct Ledger {
  std::vector<LedgerRow> exceptions;  // by (schedule, version, from)
  std::vector<Segment> watermarks;    // the segments not yet drained, by (schedule, version)
};

}  // namespace tenure::reference
