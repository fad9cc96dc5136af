// A set of slots of one schedule, in space that does not grow with their number.
//
// Slots that follow one another at one period are kept as a run (first, last, period). Slots that come in order
// extend the last run; one that comes late joins the runs beside it. A run is left open only by a slot that
// never comes, so there are about as many runs as there were gaps and edits. Beyond kMaxRuns the oldest go.
//
// Thread rule: a value.
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"

namespace tenure::sim {

class SlotSet {
 public:
  static constexpr std::size_t kMaxRuns = 1024;

  // False if it was here already. `period` is the distance to the slots beside it; zero for a slot that stands
  // alone.
  bool add(StoreTime slot, Duration period);
  bool contains(StoreTime slot) const;
  // The first slot at or after `from` on the grid from + n * period, and before `to`, that is not here; `to` if all
  // are.
  StoreTime first_missing(StoreTime from, StoreTime to, Duration period) const;

  std::size_t runs() const { return runs_.size(); }
  std::optional<StoreTime> last() const;

 private:
  struct Run {
    StoreTime first;
    StoreTime last;
    Duration period;
    bool has(StoreTime slot) const {
      if (slot < first || slot > last) return false;
      return slot == first || slot == last || (slot - first).ns() % period.ns() == 0;
    }
  };
  std::vector<Run> runs_;  // by first
};

}  // namespace tenure::sim
