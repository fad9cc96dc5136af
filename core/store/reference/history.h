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
#include "core/store/reference/tables.h"

namespace tenure::reference {

class HistoryLog final : public HistoryRows {
 public:
  // From now on rows are kept.
  void keep() { keeps_ = true; }
  bool keeps() const { return keeps_; }

  void append(HistoryRow row) override;
  // Fills in the page that was asked for. CHECKs that rows are kept.
  void read(const ReadHistory& asked, HistoryPage& page) const;
  // Forgets rows as Prune says, the earliest first; returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t keep, std::uint64_t limit);
  void hash(Hasher& hasher) const;

 private:
  bool keeps_ = false;
  std::deque<HistoryRow> rows_;  // by seq, without gaps
  std::uint64_t last_ = 0;
};

}  // namespace tenure::reference
