// What became of slots and manual runs, row by row, in commit order.
//
// The ledger says the same of slots in little room: as watermarks and exceptions. This is for people, and grows with
// each fire. So a machine in a simulation keeps none, and real stores prune theirs.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <deque>

#include "core/base/hash.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

class HistoryLog {
 public:
  // From now on rows are kept.
  void keep() { keeps_ = true; }
  bool keeps() const { return keeps_; }

  // What became of the ledger row's slots.
  void add(const LedgerRow& row, StoreTime now);
  // The event of a manual run; or of a slot, that was replaced.
  void add(const EventId& event, std::uint32_t version, Disposition what, StoreTime now);
  // Fills in the page that was asked for. CHECKs that rows are kept.
  void read(const ReadHistory& asked, HistoryPage& page) const;
  // Forgets rows as Prune says, the earliest first; returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t keep, std::uint64_t limit);
  void hash(Hasher& hasher) const;

 private:
  void append(HistoryRow row);

  bool keeps_ = false;
  std::deque<HistoryRow> rows_;  // by seq, without gaps
  std::uint64_t last_ = 0;
};

// A ledger row as a row of the history.
HistoryRow history_row(const LedgerRow& row, StoreTime now);
HistoryRow history_row(const EventId& event, std::uint32_t version, Disposition what, StoreTime now);

}  // namespace tenure::reference
