// A set of slots of one schedule. It forgets none, and its size does not grow with their number.
//
// Slots that follow one another in a definition are one range, from the first to the slot after the last. Only a slot
// that never comes ends a range, so there are about as many ranges as gaps and edits. A slot is the same under every
// definition.
//
// Thread rule: a value. Copies share the pages of calendars (slots.h), so all copies belong to one thread.
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"
#include "sim/checkers/oracle/slots.h"
#include "sim/checkers/trackers/range_set.h"

namespace tenure::sim {

class SlotSet {
 public:
  // False if it was here already. `slots`: a definition that it may be a slot of, with those before and after it;
  // nullptr when none is known.
  bool add(StoreTime slot, const Slots* slots);
  // The same, if it is known without a definition: it comes next after the slot that was added last. Else does nothing,
  // and returns false.
  bool add_next(StoreTime slot) {
    if (families_.empty() || families_.back().next != slot) return false;
    Family& last = families_.back();
    // What comes behind all that is known of a single definition needs no search.
    const bool is_last = families_.size() == 1 && alone_.size() == 0 && last.ranges.end() <= slot;
    if (!is_last && contains(slot)) return false;
    last.add(slot);
    return true;
  }
  bool contains(StoreTime slot) const;
  // The first of `slots` in [from, to) that is not here; `to` if all are.
  StoreTime first_missing(StoreTime from, StoreTime to, const Slots& slots) const;
  // Those of `slots` in `range` that are not here, as ranges that begin with one and have no other slots of it.
  std::vector<StoreRange> missing(StoreRange range, const Slots& slots) const;
  // How many of `slots` in [from, to) are here.
  std::uint64_t count(StoreTime from, StoreTime to, const Slots& slots) const;

  std::size_t ranges() const;

 private:
  struct Family {
    Slots slots;
    RangeSet ranges;  // each from a slot of `slots` to another; all slots of `slots` in it are in the set
    std::optional<StoreTime> next = {};  // of `slots`, after the one that was added last

    void add(StoreTime slot) {
      next = slots.after(slot);
      ranges.add({slot, next.value_or(slot + kStoreResolution)});
    }
    bool has(StoreTime slot) const { return ranges.contains(slot) && slots.has(slot); }
  };
  Family& family_of(const Slots& slots);
  const Family* find(const Slots& slots) const;

  std::vector<Family> families_;
  RangeSet alone_;  // slots of no definition, each an instant
};

}  // namespace tenure::sim
