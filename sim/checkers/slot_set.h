// A set of slots of one schedule, in space that does not grow with their number.
//
// Slots that follow one another are kept as a run: first and last, and how to go from one to the next. Slots that
// come in order extend the last run; one that comes late joins the runs beside it. A run is left open only by a slot
// that never comes, so there are about as many runs as there were gaps and edits. Beyond kMaxRuns the oldest go.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "sim/checkers/slots.h"

namespace tenure::sim {

class SlotSet {
 public:
  static constexpr std::size_t kMaxRuns = 1024;

  // Which slots there are around a slot: either all that lie on one period, or those of a calendar.
  struct Step {
    Duration distance;  // to the slot before; zero for a slot that none is before, or that stands alone
    std::uint32_t calendar = 0;  // its number; 0 for a period. All slots added or asked for are slots of it.
  };

  // False if it was here already.
  bool add(StoreTime slot, const Step& step);
  bool contains(StoreTime slot, std::uint32_t calendar = 0) const;
  // The first of `slots` in [from, to) that is not here; `to` if all are. `calendar`: their number, 0 for a period.
  StoreTime first_missing(StoreTime from, StoreTime to, const Slots& slots, std::uint32_t calendar = 0) const;

  std::size_t runs() const { return runs_.size(); }
  std::optional<StoreTime> last() const;

 private:
  struct Run {
    StoreTime first;
    StoreTime last;
    Duration before;  // from the slot before `first`
    Duration period;  // zero for slots of a calendar
    std::uint32_t calendar = 0;

    bool has(StoreTime slot, std::uint32_t of) const {
      if (slot < first || slot > last) return false;
      if (slot == first || slot == last) return true;
      return calendar != 0 ? of == calendar : (slot - first).ns() % period.ns() == 0;
    }
    bool goes_by(const Step& step) const {
      return calendar == step.calendar && (calendar != 0 || period == step.distance);
    }
    bool ends_before(StoreTime slot, const Step& step) const {
      return step.distance > Duration{} && last + step.distance == slot && goes_by(step);
    }
    bool begins_after(StoreTime slot, const Step& step) const {
      return before > Duration{} && slot + before == first && goes_by(step);
    }
  };
  std::vector<Run> runs_;  // by first
};

}  // namespace tenure::sim
