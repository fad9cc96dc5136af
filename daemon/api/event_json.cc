#include "daemon/api/event_json.h"

#include <fmt/format.h>

#include <charconv>

#include "adapters/store/public_names.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/times.h"

namespace tenure::daemon {
namespace {

// Takes a decimal number from the front, and the slash after it, if there is more.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return true;
  if (text.front() != '/' || text.size() == 1) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string key_of(const reference::EventId& event) {
  return fmt::format("{}/{}/{}", event.schedule.value, event.slot.ns() / 1'000, event.run);
}

std::optional<reference::EventId> read_key(std::string_view text) {
  reference::EventId event;
  std::int64_t micros = 0;
  std::string_view rest = text;
  if (!take(rest, event.schedule.value) || !take(rest, micros) || !take(rest, event.run) || !rest.empty())
    return std::nullopt;
  event.slot = StoreTime{} + Duration::micros(micros);
  if (event.run > INT64_MAX || key_of(event) != text) return std::nullopt;
  return event;
}

Json json_of(const reference::EventId& event, const Call& call) {
  Json json = {{"key", key_of(event)}};
  if (const auto id = event_uuid(call.store->identity(), call.context.resource, event)) json["id"] = *id;
  json["slot"] = print_utc(event.slot);
  json["run"] = fmt::format("{}", event.run);
  return json;
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
