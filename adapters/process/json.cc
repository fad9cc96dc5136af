#include "adapters/process/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::process {

Json object_of(std::string_view line) {
  Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (json.is_discarded()) throw Nonsense{"it is no JSON"};
  if (!json.is_object()) throw Nonsense{"it is no JSON object"};
  return json;
}

void know_keys(const Json& object, std::string_view of, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Nonsense{fmt::format("unknown key `{}` of {}; there is {}", key, of, fmt::join(known, ", "))};
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

const Json& object(const Json& value, std::string_view what) {
  if (!value.is_object()) throw Nonsense{fmt::format("`{}` must be an object", what)};
  return value;
}

const Json& list(const Json& value, std::string_view what) {
  if (!value.is_array()) throw Nonsense{fmt::format("`{}` must be a list", what)};
  return value;
}

}  // namespace tenure::process
