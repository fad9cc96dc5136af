#include "sim/checkers/oracle/row_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"

namespace tenure::sim {
namespace {

using reference::Disposition;
using reference::LedgerRow;

constexpr const char* kNotAllowed = "which its definition does not allow";

// The end of the slots that were late by `latest`, of the version and of what would have been its own.
StoreTime end_of_late(const ScheduleVersion& version, StoreTime latest) {
  return version.slots.end_of_due(version.schedule, latest - std::max(version.misfire.grace, Duration{}));
}

// May late slots up to `last`, which the row ends with, be given up?
bool may_be_missed(const LedgerRow& row, const ScheduleVersion& version, StoreTime last, StoreTime latest) {
  const Misfire& misfire = version.misfire;
  if (misfire.policy == Misfire::Policy::skip) return true;
  if (last < latest - misfire.catchup_window) return true;
  if (misfire.policy != Misfire::Policy::fire_all) return false;
  const auto limit = static_cast<std::uint64_t>(misfire.catchup_limit());
  return version.slots.count(row.to, end_of_late(version, latest)) >= limit;
}

std::optional<WrongRow> wrong_range(const LedgerRow& row, const ScheduleVersion& version, StoreTime first,
                                    StoreTime last, const RowReading& reading, bool busy) {
  const StoreTime latest = reading.latest;
  switch (row.what) {
    case Disposition::paused:
      if (!version.paused) return WrongRow{first, kNotAllowed};
      return std::nullopt;
    case Disposition::missed:
      if (version.paused) return WrongRow{first, kNotAllowed};
      if (last >= end_of_late(version, latest)) return WrongRow{last, "although it was not late"};
      if (!may_be_missed(row, version, last, latest)) return WrongRow{last, kNotAllowed};
      return std::nullopt;
    case Disposition::overlapped:
      if (version.paused || version.overlap == Overlap::allow) return WrongRow{first, kNotAllowed};
      if (reading.store_judges) return std::nullopt;
      if (!busy) return WrongRow{last, "although no work of it had been running since it was due"};
      // Where one slot is to wait, others are given up only beside it: it fires, and then they are written off.
      if (version.overlap == Overlap::queue_one &&
          (!reading.follows_fire || version.due(last) > *reading.follows_fire))
        return WrongRow{last, "although no slot before it was waiting for the work to end"};
      return std::nullopt;
    case Disposition::fired:
    case Disposition::coalesced:  // the store's to say, as a part of the fired row
    case Disposition::deleted:    // likewise, of a delete
    case Disposition::replaced:   // no row of the ledger
      break;
  }
  return WrongRow{first, kNotAllowed};
}

std::optional<WrongRow> wrong_coalescing(const LedgerRow& row, const ScheduleVersion& version,
                                         StoreTime first, StoreTime last, StoreTime latest) {
  const Misfire& misfire = version.misfire;
  if (version.paused || misfire.policy != Misfire::Policy::fire_once) return WrongRow{first, kNotAllowed};
  if (last >= end_of_late(version, latest)) return WrongRow{last, "although it was not late"};
  const StoreTime fires = misfire.once == Misfire::Which::latest ? last : first;
  if (row.slot != fires) {
    return WrongRow{fires, fmt::format("although it should have fired, and not {}", describe(row.slot))};
  }
  return std::nullopt;
}

// A fire that the overlap or misfire policy forbids. Under queue_one a slot may have waited for work, however long.
std::optional<WrongRow> wrong_fire(Incarnation who, const LedgerRow& row, const ScheduleVersion& version,
                                   const RowReading& reading, const EventLifecycle& work,
                                   const StoreClockTracker& clock) {
  const Misfire& misfire = version.misfire;
  const StoreTime due = version.due(row.slot);
  const bool minds_work = version.overlap != Overlap::allow && !reading.store_judges;
  if (minds_work &&
      work.has_in_hand(who, version.schedule, version.end, clock.due_since(due - reading.ahead)))
    return WrongRow{row.slot, "although work of it had been running since before it was due"};
  if (minds_work && reading.with_fire)
    return WrongRow{row.slot, "together with a slot before it, whose work it should not overlap"};
  if (reading.came_beside)
    return WrongRow{row.slot, "although a slot before it was waiting for the work when it came due"};
  if (version.overlap == Overlap::queue_one) return std::nullopt;
  if (misfire.policy == Misfire::Policy::skip && due + std::max(misfire.grace, Duration{}) < reading.earliest)
    return WrongRow{row.slot, "although it was late, and late slots are to be skipped"};
  if (misfire.catchup_window != Duration::max() &&
      due + std::max(misfire.grace, misfire.catchup_window) < reading.earliest)
    return WrongRow{row.slot, "although it was too old to be caught up with"};
  const bool limited = misfire.catchup_limit() != Misfire::kNoLimit;
  const auto limit = static_cast<std::uint64_t>(misfire.catchup_limit());
  const StoreTime late = std::min(end_of_late(version, reading.earliest), version.end);
  if (limited && version.slots.count(row.slot + kStoreResolution, late) >= limit)
    return WrongRow{row.slot, "although more slots after it were late than may be caught up with"};
  return std::nullopt;
}

}  // namespace

std::string said_of(const LedgerRow& row) {
  if (row.what != Disposition::fired) return fmt::format("recorded as {}", tenure::name_of(row.what));
  return row.slots == 1 ? "fired" : "coalesced";
}

StoreRange reach_of_fired(const reference::LedgerRow& row, const ScheduleVersion& version) {
  const bool alone = version.slots.has_only(row.slot, row.from, row.to);
  return alone ? StoreRange{row.from, row.to} : StoreRange{row.slot, row.slot + kStoreResolution};
}

std::optional<WrongRow> wrong_row(Incarnation who, const LedgerRow& row, const ScheduleVersion& version,
                                  const RowReading& reading, const EventLifecycle& work,
                                  const StoreClockTracker& clock) {
  const bool fired = row.what == Disposition::fired;
  if (fired) {
    if (const auto wrong = wrong_fire(who, row, version, reading, work, clock)) return wrong;
  }
  // Of a single fire no-drift says whether it is a slot, and it accounts for no other.
  if (fired && row.slots == 1) return std::nullopt;
  const StoreTime latest = reading.latest;
  const std::uint64_t count = version.slots.count(row.from, row.to);
  if (static_cast<std::uint64_t>(row.slots) != count) {
    return WrongRow{version.slots.at_or_after(row.from).value_or(row.from),
                    fmt::format("in a row that says it is of {} slots, and there are {}", row.slots, count)};
  }
  if (count == 0) return std::nullopt;
  const StoreTime first = *version.slots.at_or_after(row.from);
  const StoreTime last = *version.slots.before(row.to);
  if (fired) return wrong_coalescing(row, version, first, last, latest);
  const bool was_busy = row.what == Disposition::overlapped &&
                        work.is_busy_since(row.schedule, clock.due_since(version.due(last) - reading.ahead));
  return wrong_range(row, version, first, last, reading, was_busy);
}

}  // namespace tenure::sim
