#include "adapters/design/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "adapters/design/nearest.h"

namespace tenure::design {

Json object_of(std::string_view line) {
  std::vector<std::set<std::string>> open;  // the keys so far of each object that is being read
  const auto each_key_once = [&open](int, Json::parse_event_t event, const Json& key) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(key.get<std::string>()).second)
      throw Nonsense{fmt::format("the key `{}` comes twice", key.get<std::string>())};
    return true;
  };
  Json json = Json::parse(line.begin(), line.end(), each_key_once, false);
  if (json.is_discarded()) throw Nonsense{"it is no JSON"};
  if (!json.is_object()) throw Nonsense{"it is no JSON object"};
  return json;
}

void know_keys(const Json& object, std::string_view of, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Nonsense{fmt::format("unknown key `{}` of {}; {}", key, of, nearest(key, known))};
}

void know_keys(const Json& object, std::string_view of, std::initializer_list<std::string_view> known) {
  know_keys(object, of, std::span(known.begin(), known.size()));
}

const Json& field(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Nonsense{fmt::format("there is no `{}`", key)};
  return *found;
}

std::int64_t whole(const Json& value, std::string_view what) {
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) throw Nonsense{fmt::format("`{}` must be a whole number of 64 bits", what)};
  return value.get<std::int64_t>();
}

std::string text(const Json& value, std::string_view what) {
  if (!value.is_string()) throw Nonsense{fmt::format("`{}` must be text", what)};
  return value.get<std::string>();
}

bool flag(const Json& value, std::string_view what) {
  if (!value.is_boolean()) throw Nonsense{fmt::format("`{}` must be true or false", what)};
  return value.get<bool>();
}

const Json& object(const Json& value, std::string_view what) {
  if (!value.is_object()) throw Nonsense{fmt::format("`{}` must be an object", what)};
  return value;
}

const Json& list(const Json& value, std::string_view what) {
  if (!value.is_array()) throw Nonsense{fmt::format("`{}` must be a list", what)};
  return value;
}

}  // namespace tenure::design
