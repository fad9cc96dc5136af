#include "core/scheduler/fenced_outbox/segment_planner.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/scheduler/fenced_outbox/schedule_table.h"

namespace tenure {

using reference::Disposition;
using reference::LedgerRow;

SegmentPlanner::SegmentPlanner(const reference::Segment& segment, const Definition& definition)
    : schedule_(segment.schedule),
      version_(segment.version),
      cursor_(segment.cursor),
      end_(segment.end),
      definition_(definition) {
  CHECK(!drained(), "a segment that is drained has nothing to cover");
  definition_.misfire.grace = std::max(definition_.misfire.grace, Duration{});
  find_slot(slot_at_or_after(definition_, cursor_));
}

void SegmentPlanner::take(StoreTime now, bool busy, std::vector<LedgerRow>& rows) {
  CHECK(wake_ <= now && !drained());
  const auto queued_until = std::exchange(queued_until_, std::nullopt);
  if (slot_ >= end_) {
    rows.push_back(range(end_, Disposition::missed));  // rule 4
  } else if (definition_.paused) {
    rows.push_back(range(std::min(now, end_), Disposition::paused));  // rule 3
  } else if (queued_until && due_ <= *queued_until) {
    rows.push_back(suppress(*queued_until));  // rule 5
  } else if (busy && definition_.overlap == Overlap::skip) {
    rows.push_back(suppress(now));
  } else if (busy && definition_.overlap == Overlap::queue_one) {
    hold();
  } else if (rest_ == Rest::released) {
    queued_until_ = now;  // however late it is
    rows.push_back(fire());
  } else if (due_ + definition_.misfire.grace >= now) {
    rows.push_back(fire());  // rule 1
  } else {
    take_late(now, rows);  // rule 2
  }
}

bool SegmentPlanner::fires(StoreTime now, bool busy) const {
  const bool suppressed = definition_.paused || (queued_until_ && due_ <= *queued_until_);
  if (slot_ >= end_ || suppressed || (busy && minds_overlap())) return false;
  const StoreTime late = now - definition_.misfire.grace;
  if (rest_ == Rest::released || due_ >= late) return true;
  const StoreTime last = last_due_before(late);
  return first_to_catch_up(now, last) || is_due(slot_after(definition_, last), now);
}

void SegmentPlanner::committed() {
  if (rest_ != Rest::committing) return;
  rest_ = Rest::none;
  if (!drained()) find_wake();
}

void SegmentPlanner::work_ended() {
  if (rest_ != Rest::held) return;
  rest_ = Rest::released;
  if (!drained()) find_wake();
}

void SegmentPlanner::move_to(StoreTime cursor) {
  cursor_ = cursor;
  rest_ = Rest::none;
  queued_until_.reset();
  if (!drained()) find_slot(slot_at_or_after(definition_, cursor_));
}

void SegmentPlanner::close(StoreTime end) {
  end_ = std::min(end_, end);
  if (!drained()) find_wake();
}

void SegmentPlanner::hold() {
  rest_ = Rest::held;
  wake_ = StoreTime::max();
}

LedgerRow SegmentPlanner::suppress(StoreTime now) {
  return range(last_due_before(now + kStoreResolution) + kStoreResolution, Disposition::overlapped);
}

void SegmentPlanner::take_late(StoreTime now, std::vector<LedgerRow>& rows) {
  const StoreTime last = last_due_before(now - definition_.misfire.grace);
  const auto first = first_to_catch_up(now, last);
  if (!first) {
    const auto next = slot_after(definition_, last);
    rows.push_back(range(std::min({next.value_or(StoreTime::max()), now, end_}), Disposition::missed));
    if (is_due(next, now)) rows.push_back(fire());
    return;
  }
  if (*first > slot_) rows.push_back(range(*first, Disposition::missed));
  const bool once = definition_.misfire.policy == Misfire::Policy::fire_once && slot_ < last;
  rows.push_back(once ? fire_once(last) : fire());
}

bool SegmentPlanner::is_due(std::optional<StoreTime> slot, StoreTime now) const {
  return slot && *slot < end_ && due_time(definition_, schedule_, *slot) <= now;
}

StoreTime SegmentPlanner::last_due_before(StoreTime time) const {
  StoreTime slot = slot_before(definition_, std::min(time, end_)).value_or(slot_);
  // Jitter is less than the distance to the next slot: at most the last one is not due.
  if (slot > slot_ && due_time(definition_, schedule_, slot) >= time)
    slot = slot_before(definition_, slot).value_or(slot_);
  return std::max(slot, slot_);
}

std::optional<StoreTime> SegmentPlanner::first_to_catch_up(StoreTime now, StoreTime last) const {
  const Misfire& misfire = definition_.misfire;
  if (misfire.policy == Misfire::Policy::skip) return std::nullopt;
  StoreTime first = slot_;
  if (misfire.catchup_window != Duration::max()) {
    const StoreTime oldest = now - misfire.catchup_window;
    if (first < oldest) first = slot_at_or_after(definition_, oldest).value_or(StoreTime::max());
  }
  if (first > last) return std::nullopt;
  const std::int64_t limit = misfire.catchup_limit();
  if (limit == Misfire::kNoLimit || count_slots(definition_, first, last + kStoreResolution) <= limit)
    return first;
  return nth_slot_before(definition_, limit, first, last + kStoreResolution);
}

LedgerRow SegmentPlanner::row(StoreTime to, Disposition what) const {
  return {.schedule = schedule_, .version = version_, .from = cursor_, .to = to, .slot = {}, .what = what};
}

LedgerRow SegmentPlanner::fire() {
  const auto next = slot_after(definition_, slot_);
  LedgerRow fired = row(std::min(next.value_or(StoreTime::max()), end_), Disposition::fired);
  fired.slot = slot_;
  fired.due = due_;
  cursor_ = fired.to;
  rest_ = minds_overlap() ? Rest::committing : Rest::none;
  find_slot(next);
  return fired;
}

LedgerRow SegmentPlanner::fire_once(StoreTime last) {
  const StoreTime to = last + kStoreResolution;
  const bool latest = definition_.misfire.once == Misfire::Which::latest;
  LedgerRow fired = row(to, Disposition::fired);
  fired.slot = latest ? last : slot_;
  fired.due = due_time(definition_, schedule_, last);
  fired.slots = count_slots(definition_, cursor_, to);
  move_to(to);
  rest_ = minds_overlap() ? Rest::committing : Rest::none;
  if (!drained()) find_wake();
  return fired;
}

LedgerRow SegmentPlanner::range(StoreTime to, Disposition what) {
  LedgerRow given_up = row(to, what);
  given_up.slots = count_slots(definition_, cursor_, to);
  // A pause suppresses slots as they come; whatever else is given up has to have been due.
  if (slot_ < to && what != Disposition::paused)
    given_up.due = due_time(definition_, schedule_, slot_before(definition_, to).value_or(slot_));
  move_to(to);
  return given_up;
}

void SegmentPlanner::find_slot(std::optional<StoreTime> slot) {
  slot_ = slot.value_or(StoreTime::max());
  due_ = slot ? due_time(definition_, schedule_, *slot) : StoreTime::max();
  find_wake();
}

void SegmentPlanner::find_wake() {
  if (slot_ >= end_)
    wake_ = end_ == StoreTime::max() && !is_unreadable(definition_) ? cursor_ : end_;
  else if (definition_.paused)
    wake_ = std::min(slot_ + kPausedStep, end_);
  else
    wake_ = due_;
  if (rest_ == Rest::committing || rest_ == Rest::held) wake_ = StoreTime::max();
}

}  // namespace tenure
