// What clients do to schedules by name, and what they read of them.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/partition.h"

namespace tenure::reference {

Reply Partition::apply(const PutNamed& asked, Context& context) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  auto found = find(asked.name);
  if (found == schedules_.end()) {
    if (asked.expected) return named_refusal(EditDenial::no_such_schedule, nullptr);
    const std::uint32_t largest = schedules_.empty() ? 0 : schedules_.rbegin()->first.value;
    if (largest == UINT32_MAX) return named_refusal(EditDenial::no_number_left, nullptr);
    found = schedules_.try_emplace(ScheduleId{largest + 1}).first;
    found->second.name = asked.name;
    names_.emplace(asked.name, found->first);
  }
  const ScheduleId id = found->first;
  Schedule& schedule = found->second;
  Definition definition = asked.definition;
  definition.paused = schedule.definition.paused;

  const std::uint32_t based_on = asked.expected ? asked.expected->version : 0;
  const bool same = !asked.expected || asked.expected->schedule == id;
  const bool repeated = same && schedule.version == based_on + 1 && schedule.definition == definition &&
                        payloads_.find({id, schedule.version}) == asked.payload;
  if (repeated) return named_edited(*found);
  if (!asked.expected && schedule.version != 0) return named_refusal(EditDenial::exists, &*found);
  if (!same || schedule.version != based_on) return named_refusal(EditDenial::version_conflict, &*found);

  edit(asked.resource, id, schedule, definition, {LogAction::put, asked.actor, {}}, context);
  payloads_.put({id, schedule.version}, asked.payload, schedule.since);
  return named_edited(*found);
}

Reply Partition::apply(const DeleteNamed& asked, Context& context) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  const auto seen = schedules_.find(asked.expected.schedule);
  const bool repeated = seen != schedules_.end() && name_of(*seen) == asked.name && seen->second.deleted &&
                        seen->second.version == asked.expected.version;
  if (repeated) return named_edited(*seen);
  const auto found = find(asked.name);
  if (found == schedules_.end()) return named_refusal(EditDenial::no_such_schedule, nullptr);
  if (asked.expected != Edition{found->first, found->second.version})
    return named_refusal(EditDenial::version_conflict, &*found);
  remove(asked.resource, found->first, found->second, {LogAction::deleted, asked.actor, {}}, context);
  return named_edited(*found);
}

Reply Partition::apply(const PauseNamed& asked, Context& context) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  const auto found = find(asked.name);
  if (found == schedules_.end()) return named_refusal(EditDenial::no_such_schedule, nullptr);
  Schedule& schedule = found->second;
  if (schedule.definition.paused == asked.paused) return named_edited(*found);
  Definition definition = schedule.definition;
  definition.paused = asked.paused;
  edit(asked.resource, found->first, schedule, definition,
       {asked.paused ? LogAction::paused : LogAction::resumed, asked.actor, asked.why}, context);
  schedule.pause = {asked.actor, asked.why, schedule.since};
  return named_edited(*found);
}

Reply Partition::apply(const ReadNamed& asked, Context&) {
  NamedSchedules read;
  const auto found = find(asked.name);
  if (found != schedules_.end()) read.schedules.push_back(describe(*found));
  return read;
}

Reply Partition::apply(const ListNamed& asked, Context&) {
  std::map<std::string, ScheduleId> names;
  for (const auto& schedule : schedules_)
    if (!schedule.second.deleted) names.emplace(name_of(schedule), schedule.first);
  NamedSchedules list;
  for (auto it = names.upper_bound(asked.after); it != names.end(); ++it) {
    if (list.schedules.size() >= asked.limit) {
      list.more = true;
      break;
    }
    list.schedules.push_back(describe(*schedules_.find(it->second)));
    list.schedules.back().payload.data.clear();
  }
  return list;
}

Reply Partition::apply(const ReadPayloads& asked, Context&) {
  Payloads payloads;
  for (const EventId& event : asked.events) {
    EventPayload& given = payloads.events.emplace_back();
    given.event = event;
    auto version = waiting_.version_of(event);
    if (!version) version = outbox_.version_of(event);
    if (!version) continue;
    given.found = true;
    given.version = *version;
    given.name = name_of(*schedules_.find(event.schedule));
    given.payload = payloads_.find({event.schedule, *version});
  }
  return payloads;
}

Reply Partition::apply(const ReadLog& asked, Context&) {
  Log log;
  changes_.read(asked, log);
  for (LogEntry& entry : log.entries) entry.name = name_of(*schedules_.find(entry.edition.schedule));
  return log;
}

Partition::Schedules::iterator Partition::find(const std::string& name) {
  if (const auto given = names_.find(name); given != names_.end()) return schedules_.find(given->second);
  // Of a schedule that was put by number, if there is one with exactly these digits.
  if (name.empty() || name.size() > 10) return schedules_.end();
  std::uint64_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return schedules_.end();
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (number > UINT32_MAX) return schedules_.end();
  const auto found = schedules_.find(ScheduleId{static_cast<std::uint32_t>(number)});
  const bool is_it = found != schedules_.end() && !found->second.deleted && name_of(*found) == name;
  return is_it ? found : schedules_.end();
}

std::string Partition::name_of(const Schedules::value_type& schedule) {
  return schedule.second.name.empty() ? name_of_number(schedule.first) : schedule.second.name;
}

NamedRefused Partition::named_refusal(EditDenial why, const Schedules::value_type* in_force) {
  return {why, in_force != nullptr ? Edition{in_force->first, in_force->second.version} : Edition{}};
}

NamedEdited Partition::named_edited(const Schedules::value_type& schedule) {
  const auto& [id, it] = schedule;
  return {{id, it.version}, it.change_seq, it.since};
}

NamedSchedule Partition::describe(const Schedules::value_type& schedule) const {
  const auto& [id, it] = schedule;
  NamedSchedule described{.name = name_of(schedule),
                          .edition = {id, it.version},
                          .since = it.since,
                          .definition = it.definition,
                          .payload = payloads_.find({id, it.version}),
                          .pause = {},
                          .covered = segments_.covered({id, it.version})};
  if (it.definition.paused) described.pause = it.pause;
  return described;
}

}  // namespace tenure::reference
