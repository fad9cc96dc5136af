#include "daemon/api/event_json.h"

#include <fmt/format.h>

#include <cstdint>

#include "adapters/store/public_names.h"
#include "daemon/api/number_parts.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/times.h"

namespace tenure::daemon {

std::string key_of(const reference::EventId& event) {
  return fmt::format("{}/{}/{}", event.schedule.value, event.slot.ns() / 1'000, event.run);
}

std::optional<reference::EventId> read_key(std::string_view text) {
  reference::EventId event;
  std::int64_t micros = 0;
  std::string_view rest = text;
  const auto take = [&rest](auto& number) { return take_number(rest, number, '/'); };
  if (!take(event.schedule.value) || !take(micros) || !take(event.run)) return std::nullopt;
  if (micros > INT64_MAX / 1'000 || micros < INT64_MIN / 1'000) return std::nullopt;
  event.slot = StoreTime{} + Duration::micros(micros);
  if (event.run > INT64_MAX || key_of(event) != text) return std::nullopt;
  return event;
}

Json json_of(const reference::EventId& event, const std::string& store, ResourceId resource) {
  Json json = {{"key", key_of(event)}};
  if (const auto id = event_uuid(store, resource, event)) json["id"] = *id;
  json["slot"] = print_utc(event.slot);
  json["run"] = fmt::format("{}", event.run);
  return json;
}

Json json_of(const reference::EventId& event, const Call& call) {
  return json_of(event, call.store->identity(), call.context.resource);
}

void add_payload(Json& json, const reference::EventPayload& payload) {
  json["schedule"] = payload.name;
  json["uid"] = payload.event.schedule.value;
  json["version"] = payload.version;
  if (!payload.payload.topic.empty()) json["topic"] = payload.payload.topic;
  if (!payload.payload.type.empty()) json["type"] = payload.payload.type;
  if (!payload.payload.data.empty()) json["data"] = data_of(payload.payload);
  if (!payload.payload.labels.empty()) json["labels"] = labels_of(payload.payload);
}

}  // namespace tenure::daemon
