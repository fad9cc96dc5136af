// What a store's clock has shown, and when: a slot comes due by this clock, whatever steps are made later.
//
// A slot is firmly due when the clock has shown its time for a whole `patience` without a break. A moment in what
// proves to be the future makes nothing firmly due; a step back takes nothing of it away that was. Between steps the
// clock runs evenly: no fault changes its rate.
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

  // The first record says what the clock showed when all began.
  void see(TrueTime now, const Record& record) {
    now_ = now;
    if (knots_.empty() || std::holds_alternative<StoreClockStepped>(record)) take(record);
  }

  // Call it before asking at a time that no record was seen at.
  void advance(TrueTime now) { now_ = now; }

  // What is due before this has been due for all of the last `patience`; min() when there is no such time.
  StoreTime firm() const;
  // The greatest that firm() has been so far.
  StoreTime firmest() const { return std::max(firmest_, firm()); }
  // The greatest time that the clock has shown so far.
  StoreTime greatest() const { return std::max(greatest_, shown_at(now_)); }
  // When it showed `time` first, or more; as it runs now, when it has not yet.
  TrueTime first_shown(StoreTime time) const;
  // Since when what is due at `time` counts as due: since the clock first showed that, but for what a jump ahead
  // showed for less than `patience`.
  TrueTime due_since(StoreTime time) const;
  // Since when it has shown `time`, or more, without a break. REQUIRES: it does so now.
  TrueTime showing_since(StoreTime time) const;
  // How far who last read it up to `age` ago, and has counted on since, may be ahead of it by its steps, or behind it.
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
