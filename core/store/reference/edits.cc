// What clients do to schedules by number: put, delete, trigger.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/partition.h"

namespace tenure::reference {

Reply Partition::apply(const PutSchedule& asked, Context& context) {
  const std::string problem = problem_of_delivery(asked.definition);
  CHECK(problem.empty(), problem);
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

  edit(asked.resource, asked.schedule, schedule, asked.definition, {}, context);
  schedule.pause = Pause{{}, {}, schedule.since};
  return edited(schedule);
}

Reply Partition::apply(const DeleteSchedule& asked, Context& context) {
  const auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) return EditRefused{EditDenial::no_such_schedule, 0};
  Schedule& schedule = found->second;
  const bool repeated = schedule.deleted && schedule.version == asked.expected_version;
  if (repeated) return edited(schedule);
  if (const auto why = refusal(schedule, asked.expected_version)) return *why;

  remove(asked.resource, asked.schedule, schedule, {}, context);
  return edited(schedule);
}

void Partition::edit(ResourceId resource, ScheduleId id, Schedule& schedule, const Definition& definition,
                     LogNote note, Context& context) {
  const SegmentTable::Cut cut =
      schedule.version == 0 ? SegmentTable::Cut{context.now, {}} : close(id, schedule, context.now);
  schedule.version += 1;
  schedule.since = cut.at;
  schedule.definition = definition;
  const Segment segment = segments_.begin({id, schedule.version}, cut.at, cut.covered_until, definition);
  schedule.change_seq = changes_.append({.segment = segment, .definition = definition}, std::move(note));
  context.notifications.push_back({Notification::What::schedules_changed, resource});
}

void Partition::remove(ResourceId resource, ScheduleId id, Schedule& schedule, LogNote note,
                       Context& context) {
  const StoreTime at = close(id, schedule, context.now).at;
  for (const Segment& left : segments_.remove(id)) {
    const LedgerRow row{.schedule = left.schedule,
                        .version = left.version,
                        .from = left.cursor,
                        .to = left.end,
                        .slot = {},
                        .what = Disposition::deleted,
                        .slots = 0};
    exceptions_.add(row);
    history_.add(row, context.now);
  }
  const Segment segment{.schedule = id, .version = schedule.version, .begin = at, .end = at, .cursor = at};
  payloads_.close({id, schedule.version}, at);
  names_.erase(schedule.name);
  schedule.deleted = true;
  schedule.since = at;
  schedule.change_seq = changes_.append(
      {.segment = segment, .definition = schedule.definition, .deleted = true}, std::move(note));
  context.notifications.push_back({Notification::What::schedules_changed, resource});
}

Reply Partition::apply(const TriggerSchedule& asked, Context& context) {
  CHECK(asked.run != 0, "0 is no manual run");
  const auto found = schedules_.find(asked.schedule);
  if (found == schedules_.end()) return EditRefused{EditDenial::no_such_schedule, 0};
  const Schedule& schedule = found->second;
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  return begin_run(asked.resource, {asked.schedule, asked.run}, {context.now, asked.at, asked.digest},
                   {asked.at}, context);
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
  return begin_run(asked.resource, {asked.schedule, asked.run}, {context.now, asked.at, asked.digest},
                   asked.slots, context);
}

Reply Partition::begin_run(ResourceId resource, const Run& run, const ManualRun& asked,
                           const std::vector<StoreTime>& slots, Context& context) {
  const Schedule& schedule = schedules_.at(run.first);
  Edited answer = edited(schedule);
  const auto [known, is_new] = runs_.try_emplace(run, asked);
  if (is_new) {
    for (const StoreTime slot : slots) add_run({run.first, slot, run.second}, schedule, asked.committed);
    context.notifications.push_back({Notification::What::events_added, resource});
    return answer;
  }
  const ManualRun& first = known->second;
  if (asked.digest != first.digest && asked.digest != 0 && first.digest != 0)
    return EditRefused{EditDenial::other_request, schedule.version};
  if (asked.at != first.at) answer.first_at = first.at;
  return answer;
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
