#include "daemon/api/schedule_json.h"

#include <algorithm>
#include <utility>

#include "adapters/store/public_names.h"
#include "core/schedule/schedule_fields.h"
#include "daemon/api/times.h"
#include "format/syntax/units.h"

namespace tenure::daemon {
namespace {

Json json_of(const ScheduleField::Value& value) {
  if (const auto* duration = std::get_if<Duration>(&value)) return print_duration(*duration);
  if (const auto* time = std::get_if<StoreTime>(&value)) return print_utc(*time);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  if (const auto* seed = std::get_if<std::uint64_t>(&value)) return *seed;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  Json list = Json::array();
  for (const StoreTime at : std::get<std::vector<StoreTime>>(value)) list.push_back(print_utc(at));
  return list;
}

// What is usual is not said.
void put(Json& json, const Definition& definition) {
  const Definition usual = usual_definition(definition.delivery.kind, definition.recurrence);
  for (const ScheduleField& field : schedule_fields()) {
    const ScheduleField::Value value = value_of(field, definition);
    if (field.in_api && value.index() != 0 && field.get(definition) != field.get(usual))
      json[std::string(field.name)] = json_of(value);
  }
}

void put(Json& json, const reference::Payload& payload, ShownParts parts) {
  if (!payload.topic.empty()) json["topic"] = payload.topic;
  if (!payload.type.empty()) json["type"] = payload.type;
  if (parts.data && !payload.data.empty()) json["data"] = data_of(payload);
  if (!payload.labels.empty()) json["labels"] = labels_of(payload);
  if (!payload.description.empty()) json["description"] = payload.description;
}

Json status_of(const reference::NamedSchedule& schedule, StoreTime now) {
  Json status = {{"uid", schedule.edition.schedule.value},
                 {"version", schedule.edition.version},
                 {"since", print_utc(schedule.since)},
                 {"state", state_of(schedule, now)}};
  if (const auto& pause = schedule.pause)
    status["paused"] = {{"by", pause->actor}, {"why", pause->why}, {"since", print_utc(pause->since)}};
  if (const auto next = next_slot(schedule, now)) status["next"] = print_utc(*next);
  return status;
}

}  // namespace

Json data_of(const reference::Payload& payload) {
  auto parsed = parse_json(payload.data);
  if (auto* json = std::get_if<Json>(&parsed)) return std::move(*json);
  return payload.data;  // put by a program that embeds the core: a text, then
}

Json labels_of(const reference::Payload& payload) {
  Json labels = Json::object();
  for (const reference::Label& label : payload.labels) labels[label.name] = label.value;
  return labels;
}

std::optional<StoreTime> next_slot(const reference::NamedSchedule& schedule, StoreTime now) {
  if (schedule.unreadable) return std::nullopt;
  return slot_at_or_after(schedule.definition, std::max(now, schedule.covered));
}

std::string_view state_of(const reference::NamedSchedule& schedule, StoreTime now) {
  if (schedule.unreadable) return "unreadable";
  if (schedule.pause) return "paused";
  return next_slot(schedule, now) ? "active" : "finished";
}

Json json_of(const reference::NamedSchedule& schedule, StoreTime now, ShownParts parts) {
  Json json = {{"name", schedule.name}};
  if (!schedule.unreadable) put(json, schedule.definition);
  put(json, schedule.payload, parts);
  json["status"] = status_of(schedule, now);
  return json;
}

std::string etag_of(const reference::Edition& edition) { return "\"" + tenure::text_of(edition) + "\""; }

}  // namespace tenure::daemon
