// The slots of a definition, enumerated apart from core/schedule: checkers must not share its mistakes.
//
// A fixed interval is a grid: slot n is start + n * period for n = 0, 1, 2, … Calendars are enumerated a page at a
// time (calendar.h), lists are a single page; a few pages are kept, so that memory does not grow with time.
//
// Thread rule: values; copies share pages, so all copies belong to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure::sim {

inline constexpr Duration kStoreResolution = Duration::micros(1);

class SlotPages;

class Slots {
 public:
  Slots() = default;  // none
  explicit Slots(const Definition& definition);

  bool has(StoreTime time) const {
    if (pages_ != nullptr) return page_has(time);
    return time >= first_ && time < until_ && has_grid() && (time - first_).ns() % period_.ns() == 0;
  }
  std::optional<StoreTime> at_or_after(StoreTime time) const;
  // The one after a slot. REQUIRES: has(slot).
  std::optional<StoreTime> after(StoreTime slot) const {
    if (pages_ != nullptr) return page_at_or_after(slot + kStoreResolution, until_);
    return until_ - slot <= period_ ? std::nullopt : std::optional(slot + period_);
  }
  std::optional<StoreTime> before(StoreTime time) const;
  // How many slots are in [from, to).
  std::uint64_t count(StoreTime from, StoreTime to) const;
  // Is `slot` one of them, and the only one in [from, to)?
  bool has_only(StoreTime slot, StoreTime from, StoreTime to) const;

  // Made of one definition, or of two with the same grid. False means nothing.
  bool operator==(const Slots& other) const {
    return first_ == other.first_ && until_ == other.until_ && period_ == other.period_ &&
           pages_ == other.pages_;
  }
  // Whether due times can be later than slots.
  bool jittered() const { return jitter_.max > Duration{}; }
  // When a slot is due: at its time, or later by its jitter, but before the next slot.
  StoreTime due(ScheduleId schedule, StoreTime slot) const {
    return jittered() ? due_later(schedule, slot) : slot;
  }
  // Slots before the result are due before `time`; the others are not.
  StoreTime end_of_due(ScheduleId schedule, StoreTime time) const;

 private:
  bool has_grid() const { return period_ > Duration{}; }
  // How many slots of the grid are before `time`.
  std::int64_t slots_before(StoreTime time) const;
  bool page_has(StoreTime time) const;
  // In [time, end), whatever the bounds.
  std::optional<StoreTime> page_at_or_after(StoreTime time, StoreTime end) const;
  StoreTime due_later(ScheduleId schedule, StoreTime slot) const;

  StoreTime first_;  // of the grid; or no slot is before it
  StoreTime until_ = StoreTime::max();
  Duration period_;
  std::shared_ptr<SlotPages> pages_;  // null for a grid
  Jitter jitter_;
};

}  // namespace tenure::sim
