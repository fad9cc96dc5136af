#include "sim/checkers/trackers/range_set.h"

#include <algorithm>

namespace tenure::sim {

void RangeSet::insert(StoreRange range) {
  if (range.to <= range.from) return;
  const auto first = std::lower_bound(ranges_.begin(), ranges_.end(), range.from,
                                      [](const StoreRange& a, StoreTime from) { return a.to < from; });
  auto last = first;
  while (last != ranges_.end() && last->from <= range.to) {
    range.from = std::min(range.from, last->from);
    range.to = std::max(range.to, last->to);
    ++last;
  }
  const auto place = ranges_.erase(first, last);
  ranges_.insert(place, range);
}

StoreRange RangeSet::first_overlap(StoreRange range) const {
  if (ranges_.empty() || ranges_.back().to <= range.from) return {range.to, range.to};
  const auto it = std::upper_bound(ranges_.begin(), ranges_.end(), range.from,
                                   [](StoreTime from, const StoreRange& a) { return from < a.to; });
  const StoreRange overlap{std::max(range.from, it->from), std::min(range.to, it->to)};
  return overlap.from < overlap.to ? overlap : StoreRange{range.to, range.to};
}

StoreRange RangeSet::first_gap(StoreRange range) const {
  auto it = std::upper_bound(ranges_.begin(), ranges_.end(), range.from,
                             [](StoreTime from, const StoreRange& a) { return from < a.to; });
  if (it != ranges_.end() && it->from <= range.from) {
    range.from = it->to;
    ++it;
  }
  if (range.from >= range.to) return {range.to, range.to};
  if (it != ranges_.end()) range.to = std::min(range.to, it->from);
  return range;
}

bool RangeSet::contains(StoreTime time) const {
  if (ranges_.empty() || ranges_.back().to <= time) return false;
  const auto it = std::upper_bound(ranges_.begin(), ranges_.end(), time,
                                   [](StoreTime at, const StoreRange& a) { return at < a.to; });
  return it != ranges_.end() && it->from <= time;
}

}  // namespace tenure::sim
