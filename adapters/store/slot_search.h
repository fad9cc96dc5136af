// Finds the first slot of a definition before it is known from which time it counts.
//
// A new version's segment begins when its edit commits, with the cursor at its first slot from then on. The segment
// that it closes stays only if it still has a slot. Recurrences are computed here, never by a database. If the database
// is another process, no transaction may stay open while we compute. So a client
//
//   1. reads the store's clock, and the schedule with its cursor and definition: from = max(clock, covered_until);
//   2. searches: `first` for the new definition from `from` on, `left` for the one in force, from its cursor on;
//   3. sends the edit with both. The edit applies only if version and cursor are still as read, and if
//      first.holds(begin) for the begin at the commit. `left` depends only on the cursor;
//   4. if not, nothing is written, and the client begins again: `kSearchRounds` times, then the edit is rejected as
//      busy.
//
// A search holds until its slot is past, mostly for the schedule's whole period. It never holds before `from`, for
// example when the store's clock went back meanwhile.
//
// Thread rule: values and pure functions.
#pragma once

#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure {

struct SlotSearch {
  StoreTime from;
  StoreTime slot;  // max(): none

  // Whether `slot` is also the first slot from `at` on.
  bool holds(StoreTime at) const { return from <= at && at <= slot; }
};

inline SlotSearch search_slot(const Definition& definition, StoreTime from) {
  return {from, slot_at_or_after(definition, from).value_or(StoreTime::max())};
}

// A round that fails is mostly one in which somebody else's edit was made: of so many at one moment, all are. (With 8,
// a quarter of thirty pauses and resumptions at one moment were rejected.)
inline constexpr int kSearchRounds = 64;

}  // namespace tenure
