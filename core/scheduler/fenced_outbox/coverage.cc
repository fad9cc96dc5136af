#include "core/scheduler/fenced_outbox/coverage.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure {

using house::Covering;
using house::Disposition;

namespace {
constexpr Duration kResolution = Duration::micros(1);
}

Coverage::Coverage(const house::Segment& segment, const Definition& definition)
    : schedule_(segment.schedule),
      version_(segment.version),
      cursor_(segment.cursor),
      end_(segment.end),
      definition_(definition) {
  CHECK(!drained(), "a segment that is drained has nothing to cover");
  definition_.misfire.grace = std::max(definition_.misfire.grace, Duration{});
  find_slot();
}

void Coverage::take(StoreTime now, std::vector<Covering>& rows) {
  CHECK(wake_ <= now && !drained());
  const bool fires_all = definition_.misfire.policy == Misfire::Policy::fire_all;
  if (slot_ >= end_) {
    rows.push_back(range(end_, Disposition::missed));  // rule 4
  } else if (definition_.paused) {
    rows.push_back(range(std::min(now, end_), Disposition::paused));  // rule 3
  } else if (fires_all || slot_ + definition_.misfire.grace >= now) {
    rows.push_back(fire(slot_, end_));  // rule 1
  } else {
    take_late(now, rows);  // rule 2
  }
}

void Coverage::move_to(StoreTime cursor) {
  cursor_ = cursor;
  if (!drained()) find_slot();
}

void Coverage::close(StoreTime end) {
  end_ = std::min(end_, end);
  if (!drained()) find_wake();
}

void Coverage::take_late(StoreTime now, std::vector<Covering>& rows) {
  const StoreTime on_time =
      std::min(now - definition_.misfire.grace, end_);  // slots from here on are not late
  const StoreTime last = std::max(slot_before(definition_.recurrence, on_time).value_or(slot_), slot_);
  if (definition_.misfire.policy == Misfire::Policy::skip) {
    const StoreTime next = slot_after(definition_.recurrence, last).value_or(StoreTime::max());
    rows.push_back(range(std::min({next, now, end_}), Disposition::missed));
    return;
  }
  if (last == slot_) {
    rows.push_back(fire(last, end_));
    return;
  }
  rows.push_back(range(last, Disposition::coalesced));
  rows.back().slot = last;
  // If it reached to the next slot, an end that is not known here could fail this row alone.
  rows.push_back(fire(last, last + kResolution));
}

Covering Coverage::fire(StoreTime slot, StoreTime reach) {
  const StoreTime next = slot_after(definition_.recurrence, slot).value_or(StoreTime::max());
  const Covering row{schedule_, version_, cursor_, std::min(next, reach), slot, Disposition::fired};
  cursor_ = row.to;
  slot_ = next;
  find_wake();
  return row;
}

Covering Coverage::range(StoreTime to, Disposition what) {
  const Covering row{schedule_, version_, cursor_, to, StoreTime{}, what};
  move_to(to);
  return row;
}

void Coverage::find_slot() {
  slot_ = slot_at_or_after(definition_.recurrence, cursor_).value_or(StoreTime::max());
  find_wake();
}

void Coverage::find_wake() {
  if (slot_ >= end_)
    wake_ = end_;
  else if (definition_.paused)
    wake_ = std::min(slot_ + kPausedStep, end_);
  else
    wake_ = slot_;
}

void Coverage::hash(Hasher& hasher) const {
  hasher.add(schedule_).add(version_).add(cursor_).add(end_);
  add(hasher, definition_);
}

}  // namespace tenure
