#include "core/scheduler/fenced_outbox/schedule_table.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace tenure {

Definition unreadable_definition() {
  return {.recurrence = Times{std::make_shared<const std::vector<StoreTime>>()}};
}

bool is_unreadable(const Definition& definition) {
  const auto* const times = std::get_if<Times>(&definition.recurrence);
  return times != nullptr && times->at->empty();
}
bool ScheduleTable::apply(const reference::Change& change, std::uint32_t branch) {
  if (change.seq <= seq_) return false;
  seq_ = change.seq;
  branch_ = branch;
  const ScheduleId schedule = change.segment.schedule;
  if (change.deleted) {
    versions_.erase(versions_.lower_bound({schedule, 0}), versions_.upper_bound({schedule, UINT32_MAX}));
    return true;
  }
  versions_.insert_or_assign(
      {schedule, change.segment.version},
      Version{change.segment.begin, change.unreadable ? unreadable_definition() : change.definition});
  if (!keep_all_) forget_long_ended(schedule, change.segment.begin);
  return true;
}

bool ScheduleTable::lacks_changes_before(const std::vector<reference::Change>& changes) const {
  if (!caught_up_) return false;
  std::uint64_t last = seq_;
  for (const reference::Change& change : changes) {
    if (change.seq > last + 1) return true;
    last = std::max(last, change.seq);
  }
  return false;
}

const Definition* ScheduleTable::find(ScheduleId schedule, std::uint32_t version) const {
  const auto found = versions_.find({schedule, version});
  return found == versions_.end() ? nullptr : &found->second.definition;
}

StoreTime ScheduleTable::end_of(ScheduleId schedule, std::uint32_t version) const {
  const auto next = versions_.upper_bound({schedule, version});
  const bool superseded = next != versions_.end() && next->first.first == schedule;
  return superseded ? next->second.begin : StoreTime::max();
}

void ScheduleTable::reset(bool keep_all) {
  versions_.clear();
  seq_ = 0;
  keep_all_ = keep_all;
  caught_up_ = false;
}

void ScheduleTable::forget_long_ended(ScheduleId schedule, StoreTime newest_begin) {
  for (auto it = versions_.lower_bound({schedule, 0});;) {
    const auto next = std::next(it);
    const bool superseded = next != versions_.end() && next->first.first == schedule;
    if (!superseded || next->second.begin + kDrainedAfter >= newest_begin) return;
    it = versions_.erase(it);
  }
}

}  // namespace tenure
