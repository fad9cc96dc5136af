#include "core/store/reference/tables.h"

#include "core/base/check.h"

namespace tenure::reference {

namespace {

bool is_single(const LedgerRow& row) { return row.what == Disposition::fired && row.slots == 1; }

}  // namespace

void check_well_formed(const LedgerRow& row) {
  CHECK(row.from < row.to, "a ledger row covers something");
  CHECK(row.what != Disposition::deleted, "only the store itself records a delete");
  CHECK(row.what != Disposition::coalesced, "what is coalesced is a part of the fired row");
  CHECK(row.what != Disposition::replaced, "only the store itself replaces an event");
  CHECK(row.slots >= 0);
  CHECK(row.what != Disposition::fired ||
            (row.from <= row.slot && row.slot < row.to && row.slot <= row.due && row.slots >= 1),
        "a fired slot is covered, and due no earlier than its time");
}

bool is_end(const LedgerRow& row) {
  return row.what == Disposition::missed && row.slots == 0 && row.to == StoreTime::max();
}

StoreTime covered_end(const LedgerRow& row) {
  if (is_end(row)) return row.from;
  return is_single(row) ? row.slot + kStoreResolution : row.to;
}

bool is_due(const LedgerRow& row, StoreTime now) {
  return covered_end(row) <= now + kStoreResolution && row.due <= now;
}

LedgerRow as_overlapped(LedgerRow row) {
  if (row.to == StoreTime::max())
    row.to = covered_end(row);  // no slot follows; what is covered can be forgotten
  row.what = Disposition::overlapped;
  return row;
}

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

void HistoryRows::add(const LedgerRow& row, StoreTime now) {
  append({.seq = 0,
          .schedule = row.schedule,
          .version = row.version,
          .what = row.what,
          .slot = row.slot,
          .run = 0,
          .from = row.from,
          .to = row.to,
          .slots = row.slots,
          .at = now});
}

void HistoryRows::add(const EventId& event, std::uint32_t version, Disposition what, StoreTime now) {
  append({.seq = 0,
          .schedule = event.schedule,
          .version = version,
          .what = what,
          .slot = event.slot,
          .run = event.run,
          .from = event.slot,
          .to = event.slot,
          .slots = 0,
          .at = now});
}

}  // namespace tenure::reference
