// A set of store times as half-open ranges, joined where they touch.
//
// Ranges that arrive in order extend the last one, so a ledger without gaps is a single range.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace tenure::sim {

struct StoreRange {
  StoreTime from;
  StoreTime to;
  bool operator==(const StoreRange&) const = default;
};

class RangeSet {
 public:
  void add(StoreRange range) {
    const bool extends = !ranges_.empty() && ranges_.back().to == range.from && range.from < range.to;
    if (extends)
      ranges_.back().to = range.to;
    else
      insert(range);
  }
  // The first part of `range` that is here; empty (from == to) when there is none.
  StoreRange first_overlap(StoreRange range) const;
  // The first part of `range` that is not here; empty when all of it is.
  StoreRange first_gap(StoreRange range) const;

  bool contains(StoreTime time) const;
  // Of the last range; min() when there is none.
  StoreTime end() const { return ranges_.empty() ? StoreTime::min() : ranges_.back().to; }

  std::size_t size() const { return ranges_.size(); }

 private:
  void insert(StoreRange range);

  std::vector<StoreRange> ranges_;  // sorted; disjoint, and not touching
};

}  // namespace tenure::sim
