#include "adapters/store/payload_codec.h"

#include <nlohmann/json.hpp>

namespace tenure {
namespace {

using nlohmann::json;

json parsed(std::string_view text) { return json::parse(text.begin(), text.end(), nullptr, false); }
std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string encode_labels(const std::vector<reference::Label>& labels) {
  json object = json::object();
  for (const auto& [name, value] : labels) object[name] = value;
  return dumped(object);
}

std::vector<reference::Label> decode_labels(std::string_view text) {
  std::vector<reference::Label> labels;
  const json object = parsed(text);
  if (!object.is_object()) return labels;
  for (const auto& [name, value] : object.items())  // ordered by name
    if (value.is_string()) labels.push_back({name, value.get<std::string>()});
  return labels;
}

bool says_paused(std::string_view definition) {
  const json object = parsed(definition);
  return object.is_object() && object.contains("paused") && object["paused"] == true;
}

std::string with_paused(std::string_view definition, bool paused) {
  json object = parsed(definition);
  if (!object.is_object()) return std::string(definition);
  object["paused"] = paused;
  return dumped(object);
}

}  // namespace tenure
