// What clients do to schedules by number: put, delete, trigger.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/rules.h"

namespace tenure::reference {

Reply ReferenceRules::apply(const PutSchedule& asked) {
  const std::string problem = problem_of_delivery(asked.definition);
  CHECK(problem.empty(), problem);
  Schedule* schedule = tables_.schedules.find(asked.schedule);
  if (schedule == nullptr) {
    if (asked.expected_version != 0) return EditRefused{EditDenial::no_such_schedule, 0};
    schedule = tables_.schedules.add(asked.schedule, {});
  }
  const bool repeated = !schedule->deleted && schedule->version == asked.expected_version + 1 &&
                        tables_.changes.is(schedule->change_seq, asked.definition);
  if (repeated) return edited(*schedule);
  if (const auto why = refusal(*schedule, asked.expected_version)) return *why;

  edit(asked.resource, *schedule, asked.definition, {});
  schedule->pause = Pause{{}, {}, schedule->since};
  tables_.schedules.save(*schedule);
  return edited(*schedule);
}

Reply ReferenceRules::apply(const DeleteSchedule& asked) {
  Schedule* const schedule = tables_.schedules.find(asked.schedule);
  if (schedule == nullptr) return EditRefused{EditDenial::no_such_schedule, 0};
  const bool repeated = schedule->deleted && schedule->version == asked.expected_version;
  if (repeated) return edited(*schedule);
  if (const auto why = refusal(*schedule, asked.expected_version)) return *why;

  remove(asked.resource, *schedule, {});
  return edited(*schedule);
}

void ReferenceRules::edit(ResourceId resource, Schedule& schedule, const Definition& definition,
                          LogNote note) {
  const SegmentRows::Cut cut = schedule.version == 0
                                   ? SegmentRows::Cut{now_, {}}
                                   : close(schedule, tables_.changes.definition(schedule.change_seq));
  schedule.version += 1;
  schedule.since = cut.at;
  const Segment segment =
      tables_.segments.begin({schedule.id, schedule.version}, cut.at, cut.covered_until, definition);
  schedule.change_seq = tables_.changes.append({.segment = segment, .definition = definition},
                                               std::move(note), schedule.change_seq);
  notifications_.push_back({Notification::What::schedules_changed, resource});
}

void ReferenceRules::remove(ResourceId resource, Schedule& schedule, LogNote note) {
  const Definition* const definition = tables_.changes.definition(schedule.change_seq);
  const StoreTime at = close(schedule, definition).at;
  for (const Segment& left : tables_.segments.remove(schedule.id)) {
    const LedgerRow row{.schedule = left.schedule,
                        .version = left.version,
                        .from = left.cursor,
                        .to = left.end,
                        .slot = {},
                        .what = Disposition::deleted,
                        .slots = 0};
    tables_.exceptions.add(row);
    tables_.history.add(row, now_);
  }
  const SegmentKey last{schedule.id, schedule.version};
  tables_.payloads.close(last, at);
  schedule.deleted = true;
  schedule.since = at;
  schedule.change_seq = tables_.changes.append(
      {.segment = {.schedule = last.schedule, .version = last.version, .begin = at, .end = at, .cursor = at},
       .definition = definition ? *definition : Definition{},
       .deleted = true},
      std::move(note), schedule.change_seq);
  tables_.schedules.save(schedule);
  notifications_.push_back({Notification::What::schedules_changed, resource});
}

Reply ReferenceRules::apply(const TriggerSchedule& asked) {
  CHECK(asked.run != 0, "0 is no manual run");
  const Schedule* const schedule = tables_.schedules.find(asked.schedule);
  if (schedule == nullptr) return EditRefused{EditDenial::no_such_schedule, 0};
  if (schedule->deleted) return EditRefused{EditDenial::deleted, schedule->version};
  return begin_run(asked.resource, *schedule, {asked.schedule, asked.run, now_, asked.at, asked.digest},
                   {asked.at});
}

Reply ReferenceRules::apply(const BackfillSchedule& asked) {
  CHECK(asked.run != 0, "0 is no manual run");
  const Schedule* const schedule = tables_.schedules.find(asked.schedule);
  if (schedule == nullptr) return EditRefused{EditDenial::no_such_schedule, 0};
  if (schedule->deleted) return EditRefused{EditDenial::deleted, schedule->version};
  const bool early =
      std::any_of(asked.slots.begin(), asked.slots.end(), [&](StoreTime slot) { return slot > now_; });
  if (early) return EditRefused{EditDenial::in_future, schedule->version};
  return begin_run(asked.resource, *schedule, {asked.schedule, asked.run, now_, asked.at, asked.digest},
                   asked.slots);
}

Reply ReferenceRules::begin_run(ResourceId resource, const Schedule& schedule, const ManualRun& asked,
                                const std::vector<StoreTime>& slots) {
  Edited answer = edited(schedule);
  const std::optional<ManualRun> first = tables_.runs.find_or_add(asked);
  if (!first) {
    const std::uint32_t version = schedule.version;
    const std::optional<DeliveryRules> rules = tables_.segments.rules({schedule.id, version});
    for (const StoreTime slot : slots) {
      const EventId event{asked.schedule, slot, asked.run};
      if (add_event(event, version, rules)) tables_.history.add(event, version, Disposition::fired, now_);
    }
    notifications_.push_back({Notification::What::events_added, resource});
    return answer;
  }
  if (asked.digest != first->digest && asked.digest != 0 && first->digest != 0)
    return EditRefused{EditDenial::other_request, schedule.version};
  if (asked.at != first->at) answer.first_at = first->at;
  return answer;
}

std::optional<EditRefused> ReferenceRules::refusal(const Schedule& schedule, std::uint32_t expected_version) {
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  if (schedule.version != expected_version)
    return EditRefused{EditDenial::version_conflict, schedule.version};
  return std::nullopt;
}

SegmentRows::Cut ReferenceRules::close(const Schedule& schedule, const Definition* definition) {
  const SegmentRows::Cut cut = tables_.segments.close({schedule.id, schedule.version}, now_, definition);
  tables_.changes.close(schedule.change_seq, cut.at);
  return cut;
}

}  // namespace tenure::reference
