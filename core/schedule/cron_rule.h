// A cron expression in a time zone, and what happens to local times that a clock change skips or repeats.
//
// An expression of interval type fires at every instant whose local reading matches. One of fixed times follows
// two policies: DstGap for a reading that does not exist on the day, DstOverlap for one that exists twice. Two
// readings that fall on one instant are one slot.
//
// Thread rule: immutable values and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/time.h"
#include "core/schedule/cron.h"
#include "core/schedule/time_zone.h"

namespace tenure {

// A fixed time that the clock jumps over …
enum class DstGap : std::uint8_t {
  gap_end,  // fires at the first instant after the gap
  shift,    // keeps its distance from the gap's begin: 02:30 becomes 03:30
  skip,     // does not fire that day
};
// … and one that it shows twice.
enum class DstOverlap : std::uint8_t { first, second, both };

struct CronRule {
  std::shared_ptr<const Cron> cron;  // never null
  std::shared_ptr<const TimeZone> zone = TimeZone::utc();
  DstGap gap = DstGap::gap_end;
  DstOverlap overlap = DstOverlap::first;

  bool operator==(const CronRule& other) const {
    return *cron == *other.cron && *zone == *other.zone && gap == other.gap && overlap == other.overlap;
  }
};

std::optional<StoreTime> first_at_or_after(const CronRule& rule, StoreTime from);
std::optional<StoreTime> last_before(const CronRule& rule, StoreTime to);
// How many slots there are in [from, to).
std::int64_t count_slots(const CronRule& rule, StoreTime from, StoreTime to);

}  // namespace tenure
