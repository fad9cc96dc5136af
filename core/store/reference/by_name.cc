// What clients do to schedules by name.
#include <utility>

#include "core/store/reference/rules.h"

namespace tenure::reference {

Reply ReferenceRules::apply(const PutNamed& asked) {
  check(asked);
  Schedule* schedule = tables_.schedules.find(asked.name);
  Definition definition = asked.definition;
  definition.paused = schedule != nullptr && tables_.changes.is_paused(schedule->change_seq);
  if (schedule == nullptr) {
    if (asked.expected) return named_refusal(EditDenial::no_such_schedule, nullptr);
    const std::uint32_t largest = tables_.schedules.largest_number();
    if (largest == UINT32_MAX) return named_refusal(EditDenial::no_number_left, nullptr);
    schedule = tables_.schedules.add(ScheduleId{largest + 1}, asked.name);
  }

  const std::uint32_t based_on = asked.expected ? asked.expected->version : 0;
  const bool same = !asked.expected || asked.expected->schedule == schedule->id;
  const bool repeated = same && schedule->version == based_on + 1 &&
                        tables_.changes.is(schedule->change_seq, definition) &&
                        tables_.payloads.find({schedule->id, schedule->version}) == asked.payload;
  if (repeated) return named_edited(*schedule);
  if (!asked.expected && schedule->version != 0) return named_refusal(EditDenial::exists, schedule);
  if (!same || schedule->version != based_on) return named_refusal(EditDenial::version_conflict, schedule);

  edit(asked.resource, *schedule, definition, {LogAction::put, asked.actor, {}});
  tables_.schedules.save(*schedule);
  tables_.payloads.put({schedule->id, schedule->version}, asked.payload, schedule->since);
  return named_edited(*schedule);
}

Reply ReferenceRules::apply(const DeleteNamed& asked) {
  check(asked);
  const Schedule* const seen = tables_.schedules.find(asked.expected.schedule);
  const bool repeated = seen != nullptr && seen->deleted && seen->called() == asked.name &&
                        seen->version == asked.expected.version;
  if (repeated) return named_edited(*seen);
  Schedule* const schedule = tables_.schedules.find(asked.name);
  if (schedule == nullptr) return named_refusal(EditDenial::no_such_schedule, nullptr);
  if (asked.expected != Edition{schedule->id, schedule->version})
    return named_refusal(EditDenial::version_conflict, schedule);
  remove(asked.resource, *schedule, {LogAction::deleted, asked.actor, {}});
  return named_edited(*schedule);
}

Reply ReferenceRules::apply(const PauseNamed& asked) {
  check(asked);
  Schedule* const schedule = tables_.schedules.find(asked.name);
  if (schedule == nullptr) return named_refusal(EditDenial::no_such_schedule, nullptr);
  if (tables_.changes.is_paused(schedule->change_seq) == asked.paused) return named_edited(*schedule);
  const Definition* const before = tables_.changes.definition(schedule->change_seq);
  if (before == nullptr) return named_refusal(EditDenial::unreadable, schedule);
  Definition definition = *before;
  definition.paused = asked.paused;
  edit(asked.resource, *schedule, definition,
       {asked.paused ? LogAction::paused : LogAction::resumed, asked.actor, asked.why});
  schedule->pause = {asked.actor, asked.why, schedule->since};
  tables_.schedules.save(*schedule);
  return named_edited(*schedule);
}

NamedRefused ReferenceRules::named_refusal(EditDenial why, const Schedule* in_force) {
  return {why, in_force != nullptr ? Edition{in_force->id, in_force->version} : Edition{}};
}

}  // namespace tenure::reference
