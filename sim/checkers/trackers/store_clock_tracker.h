// Tracks what a store's clock has shown, and when: a slot comes due by this clock, whatever steps come later.
//
// A slot is firmly due when the clock has shown its time for a whole `patience` without a break. A short jump into the
// future makes nothing firmly due; a step back takes nothing away that was firmly due. Between steps the clock runs
// evenly: no fault changes its rate.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/world/record.h"

namespace tenure::sim {

class StoreClockTracker {
 public:
  StoreClockTracker(const View& view, Duration patience) : view_(view), patience_(patience) {}

  // The first record shows the clock at the beginning.
  void see(TrueTime now, const Record& record) {
    now_ = now;
    if (knots_.empty() || std::holds_alternative<StoreClockStepped>(record)) take(record);
  }

  // Call it before questions about a time without a record.
  void advance(TrueTime now) { now_ = now; }

  // Everything due before this has been due for the whole last `patience`; min() when there is no such time.
  StoreTime firm() const;
  // The greatest value of firm() so far.
  StoreTime firmest() const { return std::max(firmest_, firm()); }
  // The greatest time that the clock has shown so far.
  StoreTime greatest() const { return std::max(greatest_, shown_at(now_)); }
  // When it first showed `time` or more; if it has not yet: when it will, as it runs now.
  TrueTime first_shown(StoreTime time) const;
  // Since when a slot due at `time` counts as due: since the clock first showed that time, except in a jump ahead that
  // lasted less than `patience`.
  TrueTime due_since(StoreTime time) const;
  // Since when it has shown `time` or more without a break. REQUIRES: it does now.
  TrueTime showing_since(StoreTime time) const;
  // How far a reader that last read it up to `age` ago, and has counted on since, may be ahead of it or behind it
  // because of its steps.
  Duration reader_ahead(Duration age) const;
  Duration reader_behind(Duration age) const;

 private:
  struct Knot {  // a step; the first is the beginning
    TrueTime at;
    StoreTime before;
    StoreTime after;
  };
  void take(const Record& record);
  // After the last step of that moment.
  StoreTime shown_at(TrueTime time) const;
  // When it shows `time` after knot i, not before that.
  TrueTime reaches(std::size_t i, StoreTime time) const;
  // Where the time after knot i ends: the next knot, or now.
  Knot end_of(std::size_t i) const;

  const View& view_;
  Duration patience_;
  TrueTime now_;
  std::vector<Knot> knots_;
  StoreTime firmest_ = StoreTime::min();   // as of the last knot
  StoreTime greatest_ = StoreTime::min();  // likewise
};

}  // namespace tenure::sim
