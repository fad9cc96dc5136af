// The first slot of a definition, found before the time from which it counts is known.
//
// A new version's segment begins when its edit commits, with the cursor at its first slot from there on; and the
// segment that it closes stays only if it still has a slot. Recurrences are computed here, never by a database. Where
// the database is another process, no transaction stays open while we compute, so a client
//
//   1. reads the store's clock, and the schedule with its cursor and definition: from = max(clock, covered_until);
//   2. searches: `first` for the new definition from `from` on, `left` for the one in force, from its cursor on;
//   3. sends the edit with both, on the condition that version and cursor are what was read, and that
//      first.holds(begin) for the begin that the commit comes to. `left` depends on the cursor alone;
//   4. if not, nothing was written, and it begins again: `kSearchRounds` times, then it is rejected as busy.
//
// A search holds until its slot is past, mostly the schedule's whole period; and not at all before `from`, as when the
// store's clock went back meanwhile.
//
// Thread rule: values and pure functions.
#pragma once

#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure {

struct SlotSearch {
  StoreTime from;
  StoreTime slot;  // max(): none

  // Is `slot` the first one from `at` on, too?
  bool holds(StoreTime at) const { return from <= at && at <= slot; }
};

inline SlotSearch search_slot(const Definition& definition, StoreTime from) {
  return {from, slot_at_or_after(definition, from).value_or(StoreTime::max())};
}

inline constexpr int kSearchRounds = 8;

}  // namespace tenure
