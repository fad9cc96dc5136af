#include "core/store/reference/ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/prune.h"

namespace tenure::reference {

void ExceptionTable::add(const LedgerRow& row) {
  CHECK(row.what != Disposition::fired, "the watermark speaks for fires");
  const SegmentKey segment{row.schedule, row.version};
  const StoreTime slot = row.what == Disposition::coalesced ? row.slot : StoreTime{};
  const auto next = rows_.upper_bound({segment, row.from});
  if (next != rows_.begin()) {
    auto& [key, previous] = *std::prev(next);
    if (key.segment == segment && previous.to == row.from && previous.what == row.what &&
        previous.slot == slot) {
      previous.to = row.to;
      return;
    }
  }
  rows_.emplace_hint(next, Key{segment, row.from}, StoredRow{row.to, slot, row.what});
}

std::uint64_t ExceptionTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_before(rows_, before, limit, [](const StoredRow& row) { return row.to; });
}

std::vector<LedgerRow> ExceptionTable::all() const {
  std::vector<LedgerRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back({.schedule = key.segment.schedule,
                    .version = key.segment.version,
                    .from = key.from,
                    .to = row.to,
                    .slot = row.slot,
                    .what = row.what});
  }
  return rows;
}

void ExceptionTable::hash(Hasher& hasher) const {
  hasher.add(rows_.size());
  for (const auto& [key, row] : rows_) {
    hasher.add(key.segment.schedule).add(key.segment.version).add(key.from);
    hasher.add(row.to).add(row.slot).add(row.what);
  }
}

}  // namespace tenure::reference
