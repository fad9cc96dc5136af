// The slots of a definition, enumerated apart from core/schedule: checkers must not share its mistakes.
//
// A fixed interval is a grid: slot n is start + n * period for n = 0, 1, 2, … Further recurrences get their own
// enumeration here, by another way than the core's.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure::sim {

inline constexpr Duration kStoreResolution = Duration::micros(1);

class SlotGrid {
 public:
  SlotGrid() = default;  // has no slots
  explicit SlotGrid(const Recurrence& recurrence);

  bool has(StoreTime time) const {
    return time >= start_ && has_slots() && (time - start_).ns() % period_.ns() == 0;
  }
  std::optional<StoreTime> at_or_after(StoreTime time) const;
  std::optional<StoreTime> before(StoreTime time) const;
  // How many slots are in [from, to).
  std::uint64_t count(StoreTime from, StoreTime to) const;
  // From one slot to the next.
  Duration period() const { return period_; }

 private:
  bool has_slots() const { return period_ > Duration{}; }
  // How many slots are before `time`.
  std::int64_t slots_before(StoreTime time) const;

  StoreTime start_;
  Duration period_;
};

}  // namespace tenure::sim
