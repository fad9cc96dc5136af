#include "sim/checkers/slot_grid.h"

#include <variant>

namespace tenure::sim {

SlotGrid::SlotGrid(const Recurrence& recurrence) {
  if (const auto* interval = std::get_if<Interval>(&recurrence)) {
    start_ = interval->start;
    period_ = interval->period;
  }
}

std::optional<StoreTime> SlotGrid::at_or_after(StoreTime time) const {
  if (!has_slots()) return std::nullopt;
  const StoreTime slot = start_ + period_ * slots_before(time);
  if (!has(slot)) return std::nullopt;  // beyond the end of time
  return slot;
}

std::optional<StoreTime> SlotGrid::before(StoreTime time) const {
  if (!has_slots()) return std::nullopt;
  const std::int64_t n = slots_before(time);
  if (n == 0) return std::nullopt;
  return start_ + period_ * (n - 1);
}

std::uint64_t SlotGrid::count(StoreTime from, StoreTime to) const {
  if (!has_slots() || to <= from) return 0;
  return static_cast<std::uint64_t>(slots_before(to) - slots_before(from));
}

std::int64_t SlotGrid::slots_before(StoreTime time) const {
  if (time <= start_) return 0;
  return ((time - start_).ns() - 1) / period_.ns() + 1;
}

}  // namespace tenure::sim
