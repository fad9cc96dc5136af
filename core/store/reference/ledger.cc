#include "core/store/reference/ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace tenure::reference {

std::vector<LedgerRow> coalesced_around(const LedgerRow& fired) {
  std::vector<LedgerRow> rows;
  const auto add = [&](StoreTime from, StoreTime to) {
    if (from >= to) return;
    LedgerRow& row = rows.emplace_back(fired);
    row.what = Disposition::coalesced;
    row.from = from;
    row.to = to;
  };
  add(fired.from, fired.slot);
  add(fired.slot + Duration::micros(1), fired.to);
  return rows;
}

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
  std::vector<std::pair<StoreTime, Key>> ended;
  for (const auto& [key, row] : rows_)
    if (row.to <= before) ended.emplace_back(row.to, key);
  std::sort(ended.begin(), ended.end());
  if (ended.size() > limit) ended.resize(static_cast<std::size_t>(limit));
  for (const auto& [to, key] : ended) rows_.erase(key);
  return ended.size();
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
