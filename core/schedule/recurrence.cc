#include "core/schedule/recurrence.h"

#include <algorithm>
#include <string_view>

#include "core/base/check.h"

namespace tenure {

namespace {

// Slots lie strictly before StoreTime::max(), which means "never".
std::optional<StoreTime> unless_never(StoreTime slot) {
  if (slot == StoreTime::max()) return std::nullopt;
  return slot;
}

void check_well_formed(const Interval& interval) {
  CHECK(interval.period >= kStoreResolution && interval.period.ns() % kStoreResolution.ns() == 0,
        "a period is positive and in whole microseconds");
}

// The distance from start is taken in unsigned arithmetic, where it always fits.
std::uint64_t elapsed(const Interval& interval, StoreTime time) {
  return static_cast<std::uint64_t>(time.ns()) - static_cast<std::uint64_t>(interval.start.ns());
}

// The remainder is subtracted from `time` rather than n * period added to start, so nothing here can overflow.
// REQUIRES: time >= start.
StoreTime last_at_or_before(const Interval& interval, StoreTime time) {
  const std::uint64_t since_slot = elapsed(interval, time) % static_cast<std::uint64_t>(interval.period.ns());
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
  return last_at_or_before(interval, to - kStoreResolution);
}

std::int64_t count_before(const Interval& interval, StoreTime to) {
  if (to <= interval.start) return 0;
  const std::uint64_t whole = (elapsed(interval, to) - 1) / static_cast<std::uint64_t>(interval.period.ns());
  return static_cast<std::int64_t>(whole) + 1;
}

std::int64_t count_slots(const Interval& interval, StoreTime from, StoreTime to) {
  check_well_formed(interval);
  return from >= to ? 0 : count_before(interval, to) - count_before(interval, from);
}

std::optional<StoreTime> first_at_or_after(const Times& times, StoreTime from) {
  const auto found = std::lower_bound(times.at->begin(), times.at->end(), from);
  return found == times.at->end() ? std::nullopt : unless_never(*found);
}

std::optional<StoreTime> last_before(const Times& times, StoreTime to) {
  const auto found = std::lower_bound(times.at->begin(), times.at->end(), to);
  return found == times.at->begin() ? std::nullopt : std::optional(*(found - 1));
}

std::int64_t count_slots(const Times& times, StoreTime from, StoreTime to) {
  if (from >= to) return 0;
  return std::lower_bound(times.at->begin(), times.at->end(), to) -
         std::lower_bound(times.at->begin(), times.at->end(), from);
}

void add_kind(Hasher& hasher, const Interval& interval) { hasher.add(interval.start).add(interval.period); }
void add_kind(Hasher& hasher, const CronRule& rule) {
  hasher.add(std::string_view{rule.cron->text()}).add(rule.gap).add(rule.overlap);
  hasher.add(std::string_view{rule.zone->name()}).add(std::string_view{rule.zone->tzdb_version()});
}
void add_kind(Hasher& hasher, const Times& times) {
  hasher.add(times.at->size());
  for (const StoreTime at : *times.at) hasher.add(at);
}

}  // namespace

std::optional<StoreTime> slot_at_or_after(const Recurrence& recurrence, StoreTime from) {
  return std::visit([from](const auto& kind) { return first_at_or_after(kind, from); }, recurrence);
}

std::optional<StoreTime> slot_after(const Recurrence& recurrence, StoreTime slot) {
  return slot_at_or_after(recurrence, slot + kStoreResolution);
}

std::optional<StoreTime> slot_before(const Recurrence& recurrence, StoreTime to) {
  return std::visit([to](const auto& kind) { return last_before(kind, to); }, recurrence);
}

std::int64_t count_slots(const Recurrence& recurrence, StoreTime from, StoreTime to) {
  return std::visit([from, to](const auto& kind) { return count_slots(kind, from, to); }, recurrence);
}

void add(Hasher& hasher, const Recurrence& recurrence) {
  hasher.add(recurrence.index());
  std::visit([&hasher](const auto& kind) { add_kind(hasher, kind); }, recurrence);
}

}  // namespace tenure
