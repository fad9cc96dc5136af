#include "core/schedule/recurrence.h"

#include <cstdint>

#include "core/base/check.h"

namespace tenure {

namespace {

constexpr Duration kResolution = Duration::micros(1);

// Slots lie strictly before StoreTime::max(), which means "never".
std::optional<StoreTime> unless_never(StoreTime slot) {
  if (slot == StoreTime::max()) return std::nullopt;
  return slot;
}

void check_well_formed(const Interval& interval) {
  CHECK(interval.period >= kResolution && interval.period.ns() % kResolution.ns() == 0,
        "a period is positive and in whole microseconds");
}

// The distance from start is taken in unsigned arithmetic, where it always fits, and the remainder is
// subtracted from `time` rather than n * period added to start, so nothing here can overflow. REQUIRES: time
// >= start.
StoreTime last_at_or_before(const Interval& interval, StoreTime time) {
  const std::uint64_t elapsed =
      static_cast<std::uint64_t>(time.ns()) - static_cast<std::uint64_t>(interval.start.ns());
  const std::uint64_t since_slot = elapsed % static_cast<std::uint64_t>(interval.period.ns());
  return StoreTime::from_ns(time.ns() - static_cast<std::int64_t>(since_slot));
}

std::optional<StoreTime> first_at_or_after(const Interval& interval, StoreTime from) {
  check_well_formed(interval);
  if (from <= interval.start) return unless_never(interval.start);
  const StoreTime last = last_at_or_before(interval, from);
  return unless_never(last == from ? last : last + interval.period);
}

std::optional<StoreTime> last_before(const Interval& interval, StoreTime to) {
  check_well_formed(interval);
  if (to <= interval.start) return std::nullopt;
  return last_at_or_before(interval, to - kResolution);
}

}  // namespace

std::optional<StoreTime> slot_at_or_after(const Recurrence& recurrence, StoreTime from) {
  return std::visit([from](const auto& kind) { return first_at_or_after(kind, from); }, recurrence);
}

std::optional<StoreTime> slot_after(const Recurrence& recurrence, StoreTime slot) {
  return slot_at_or_after(recurrence, slot + kResolution);
}

std::optional<StoreTime> slot_before(const Recurrence& recurrence, StoreTime to) {
  return std::visit([to](const auto& kind) { return last_before(kind, to); }, recurrence);
}

void add(Hasher& hasher, const Definition& definition) {
  const auto& interval = std::get<Interval>(definition.recurrence);
  hasher.add(definition.recurrence.index()).add(interval.start).add(interval.period);
  hasher.add(definition.misfire.policy).add(definition.misfire.grace).add(definition.paused);
}

}  // namespace tenure
