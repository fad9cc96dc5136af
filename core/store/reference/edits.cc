// What clients do to schedules: put, delete, trigger.
#include <algorithm>

#include "core/base/check.h"
#include "core/store/reference/partition.h"

namespace tenure::reference {

Reply Partition::apply(const PutSchedule& asked, Context& context) {
  auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) {
    if (asked.expected_version != 0) return EditRefused{EditDenial::no_such_schedule, 0};
    found = schedules_.try_emplace(asked.schedule).first;
  }
  Schedule& schedule = found->second;
  const bool repeated = !schedule.deleted && schedule.version == asked.expected_version + 1 &&
                        schedule.definition == asked.definition;
  if (repeated) return edited(schedule);
  if (const auto why = refusal(schedule, asked.expected_version)) return *why;

  const SegmentTable::Cut cut = schedule.version == 0 ? SegmentTable::Cut{context.now, {}}
                                                      : close(asked.schedule, schedule, context.now);
  schedule.version += 1;
  schedule.since = cut.at;
  schedule.definition = asked.definition;
  const Segment segment =
      segments_.begin({asked.schedule, schedule.version}, cut.at, cut.covered_until, asked.definition);
  schedule.change_seq = changes_.append({.segment = segment, .definition = asked.definition});
  context.notifications.push_back({Notification::What::schedules_changed, asked.resource});
  return edited(schedule);
}

Reply Partition::apply(const DeleteSchedule& asked, Context& context) {
  const auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) return EditRefused{EditDenial::no_such_schedule, 0};
  Schedule& schedule = found->second;
  const bool repeated = schedule.deleted && schedule.version == asked.expected_version;
  if (repeated) return edited(schedule);
  if (const auto why = refusal(schedule, asked.expected_version)) return *why;

  const StoreTime at = close(asked.schedule, schedule, context.now).at;
  for (const Segment& left : segments_.remove(asked.schedule)) {
    exceptions_.add({.schedule = left.schedule,
                     .version = left.version,
                     .from = left.cursor,
                     .to = left.end,
                     .slot = {},
                     .what = Disposition::deleted});
  }
  const Segment segment{
      .schedule = asked.schedule, .version = schedule.version, .begin = at, .end = at, .cursor = at};
  schedule.deleted = true;
  schedule.since = at;
  schedule.change_seq =
      changes_.append({.segment = segment, .definition = schedule.definition, .deleted = true});
  context.notifications.push_back({Notification::What::schedules_changed, asked.resource});
  return edited(schedule);
}

Reply Partition::apply(const TriggerSchedule& asked, Context& context) {
  CHECK(asked.run != 0, "0 is no manual run");
  const auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) return EditRefused{EditDenial::no_such_schedule, 0};
  const Schedule& schedule = found->second;
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  if (runs_.try_emplace({asked.schedule, asked.run}, context.now).second) {
    outbox_.add({.schedule = asked.schedule, .slot = asked.at, .run = asked.run});
  }
  return edited(schedule);
}

Reply Partition::apply(const BackfillSchedule& asked, Context& context) {
  CHECK(asked.run != 0, "0 is no manual run");
  const auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) return EditRefused{EditDenial::no_such_schedule, 0};
  const Schedule& schedule = found->second;
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  const bool early =
      std::any_of(asked.slots.begin(), asked.slots.end(), [&](StoreTime slot) { return slot > context.now; });
  if (early) return EditRefused{EditDenial::in_future, schedule.version};
  if (runs_.try_emplace({asked.schedule, asked.run}, context.now).second) {
    for (const StoreTime slot : asked.slots)
      outbox_.add({.schedule = asked.schedule, .slot = slot, .run = asked.run});
  }
  return edited(schedule);
}

std::optional<EditRefused> Partition::refusal(const Schedule& schedule, std::uint32_t expected_version) {
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  if (schedule.version != expected_version)
    return EditRefused{EditDenial::version_conflict, schedule.version};
  return std::nullopt;
}

SegmentTable::Cut Partition::close(ScheduleId id, const Schedule& schedule, StoreTime now) {
  const SegmentTable::Cut cut = segments_.close({id, schedule.version}, now, schedule.definition);
  changes_.close(schedule.change_seq, cut.at);
  return cut;
}

void Partition::draw_back(ScheduleId id, StoreTime now) {
  if (const auto begin = segments_.draw_back(id, now)) schedules_.at(id).since = *begin;
}

}  // namespace tenure::reference
