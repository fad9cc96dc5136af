// What clients do to schedules by name, and what they read of them.
#include <algorithm>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/journal/payload_codec.h"

namespace tenure::sqlite {

using reference::EditDenial;
using reference::LogAction;

reference::Reply SqlitePartition::apply(const reference::PutNamed& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  std::optional<ScheduleId> id = find(asked.name);
  Schedule schedule;
  bool paused = false;
  if (id) {
    schedule = find(*id);
    paused = says_paused(definition_text(schedule.change_seq));
  } else {
    if (asked.expected) return named_refusal(EditDenial::no_such_schedule, id);
    Rows rows = queries_.largest_number.with(resource_);
    rows.next();
    const std::uint32_t largest = rows.small();  // null, which is 0, when there is none
    if (largest == UINT32_MAX) return named_refusal(EditDenial::no_number_left, id);
    id = ScheduleId{largest + 1};
    schedule.name = asked.name;
  }
  Definition definition = asked.definition;
  definition.paused = paused;
  const std::string text = encode(definition);

  const std::uint32_t based_on = asked.expected ? asked.expected->version : 0;
  const bool same = !asked.expected || asked.expected->schedule == *id;
  const bool repeated = same && schedule.version != 0 && schedule.version == based_on + 1 &&
                        definition_text(schedule.change_seq) == text &&
                        payload_of(*id, schedule.version) == asked.payload;
  if (repeated) return named_edited(*id, schedule);
  if (!asked.expected && schedule.version != 0) return named_refusal(EditDenial::exists, id);
  if (!same || schedule.version != based_on) return named_refusal(EditDenial::version_conflict, id);

  edit(*id, schedule, definition, text, {LogAction::put, asked.actor, {}});
  put_payload(*id, schedule, asked.payload);
  return named_edited(*id, schedule);
}

reference::Reply SqlitePartition::apply(const reference::DeleteNamed& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  const Schedule seen = find(asked.expected.schedule);
  const bool repeated = seen.deleted && name_of(asked.expected.schedule, seen) == asked.name &&
                        seen.version == asked.expected.version;
  if (repeated) return named_edited(asked.expected.schedule, seen);
  const std::optional<ScheduleId> id = find(asked.name);
  if (!id) return named_refusal(EditDenial::no_such_schedule, id);
  Schedule schedule = find(*id);
  if (asked.expected != reference::Edition{*id, schedule.version})
    return named_refusal(EditDenial::version_conflict, id);
  remove(*id, schedule, {LogAction::deleted, asked.actor, {}});
  return named_edited(*id, schedule);
}

reference::Reply SqlitePartition::apply(const reference::PauseNamed& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  const std::optional<ScheduleId> id = find(asked.name);
  if (!id) return named_refusal(EditDenial::no_such_schedule, id);
  Schedule schedule = find(*id);
  const std::string before = definition_text(schedule.change_seq);
  if (says_paused(before) == asked.paused) return named_edited(*id, schedule);
  const std::string text = with_paused(before, asked.paused);
  const auto decoded = decode_definition(text, zones_);
  const auto* definition = std::get_if<Definition>(&decoded);
  if (definition == nullptr) return named_refusal(EditDenial::unreadable, id);
  schedule.pause = {};
  edit(*id, schedule, *definition, text,
       {asked.paused ? LogAction::paused : LogAction::resumed, asked.actor, asked.why});
  schedule.pause = {asked.actor, asked.why, schedule.since};
  save(*id, schedule);
  return named_edited(*id, schedule);
}

// ---- reads -----------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadNamed& asked) {
  reference::NamedSchedules read;
  Rows rows = queries_.read_named.with(resource_, asked.name);
  if (rows.next()) read.schedules.push_back(read_named(rows, true));
  return read;
}

reference::Reply SqlitePartition::apply(const reference::ListNamed& asked) {
  reference::NamedSchedules list;
  Rows rows = queries_.list_named.with(resource_, asked.after, std::int64_t{asked.limit} + 1);
  while (rows.next()) {
    if (list.schedules.size() >= asked.limit) {
      list.more = true;
      break;
    }
    list.schedules.push_back(read_named(rows, false));
  }
  return list;
}

reference::NamedSchedule SqlitePartition::read_named(Rows& rows, bool with_data) {
  reference::NamedSchedule read;
  read.name = rows.text();
  read.edition.schedule = {rows.small()};
  read.edition.version = rows.small();
  read.since = rows.time();
  reference::Pause pause;
  pause.actor = rows.text();
  pause.why = rows.text();
  pause.since = rows.time();
  read.covered = rows.time();
  const std::string text(rows.text());
  if (says_paused(text)) read.pause = pause;
  auto decoded = decode_definition(text, zones_);
  if (auto* definition = std::get_if<Definition>(&decoded)) {
    read.definition = std::move(*definition);
  } else {
    read.unreadable = true;
    warnings_.push_back(
        warning_of(std::get<CodecError>(decoded), read.edition.schedule, read.edition.version));
  }
  read.payload = payload_of(read.edition.schedule, read.edition.version);
  if (!with_data) read.payload.data.clear();
  return read;
}

reference::Reply SqlitePartition::apply(const reference::ReadPayloads& asked) {
  reference::Payloads payloads;
  for (const reference::EventId& id : asked.events) {
    reference::EventPayload& given = payloads.events.emplace_back();
    given.event = id;
    if (const auto waiting = find(id)) {
      given.found = true;
      given.version = waiting->row.version;
    }
    for (Statement* statement : {&queries_.event_version, &queries_.dead_version}) {
      if (given.found) break;
      Rows rows = statement->with(resource_, id.slot, id.schedule, id.run);
      given.found = rows.next();
      if (given.found) given.version = rows.small();
    }
    if (!given.found) continue;
    given.name = name_of(id.schedule, find(id.schedule));
    given.payload = payload_of(id.schedule, given.version);
  }
  return payloads;
}

reference::Reply SqlitePartition::apply(const reference::ReadLog& asked) {
  reference::Log log;
  const auto after = static_cast<std::int64_t>(std::min(asked.after, std::uint64_t{INT64_MAX}));
  Rows rows = queries_.log.with(resource_, after, std::int64_t{asked.limit} + 1);
  while (rows.next()) {
    if (log.entries.size() >= asked.limit) {
      log.more = true;
      break;
    }
    reference::LogEntry& entry = log.entries.emplace_back();
    entry.seq = rows.natural();
    entry.name = rows.text();
    entry.edition.schedule = {rows.small()};
    entry.edition.version = rows.small();
    const bool deleted = rows.flag();
    entry.what = static_cast<LogAction>(rows.small());
    if (deleted) entry.what = LogAction::deleted;
    entry.actor = rows.text();
    entry.why = rows.text();
    entry.at = rows.time();
  }
  return log;
}

// ---- parts -----------------------------------------------------------------------------------------------

std::optional<ScheduleId> SqlitePartition::find(const std::string& name) {
  Rows rows = queries_.schedule_named.with(resource_, name);
  if (!rows.next()) return std::nullopt;
  return ScheduleId{rows.small()};
}

std::string SqlitePartition::name_of(ScheduleId id, const Schedule& schedule) {
  return schedule.name.empty() ? reference::name_of_number(id) : schedule.name;
}

reference::NamedRefused SqlitePartition::named_refusal(EditDenial why,
                                                       const std::optional<ScheduleId>& in_force) {
  if (!in_force) return {why, {}};
  return {why, {*in_force, find(*in_force).version}};
}

reference::Payload SqlitePartition::payload_of(ScheduleId id, std::uint32_t version) {
  reference::Payload payload;
  Rows rows = queries_.payload.with(resource_, id, version);
  if (!rows.next()) return payload;
  if (version > rows.small()) return payload;
  payload.topic = rows.text();
  payload.type = rows.text();
  payload.data = rows.text();
  payload.labels = decode_labels(rows.text());
  payload.description = rows.text();
  return payload;
}

void SqlitePartition::put_payload(ScheduleId id, const Schedule& schedule,
                                  const reference::Payload& payload) {
  if (payload_of(id, schedule.version) == payload) return;
  queries_.close_payload.run(resource_, id, schedule.version - 1, schedule.since);
  if (payload == reference::Payload{}) return;
  queries_.add_payload.run(resource_, id, schedule.version, payload.topic, payload.type, payload.data,
                           encode_labels(payload.labels), payload.description);
}

}  // namespace tenure::sqlite
