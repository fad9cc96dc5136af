// JSON as the API reads and writes it: keys keep their order, so that answers read like the documentation, and a
// payload's data stays as it was put.
//
// Thread rule: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace tenure::daemon {

using Json = nlohmann::ordered_json;

// In one line.
std::string dump(const Json& json);

struct JsonError {
  std::string message;
};
// Any bytes. What nests deeper than 64 levels is an error.
std::variant<Json, JsonError> parse_json(std::string_view text);
// Likewise, as a client sends it: a key that comes twice in an object is an error, because one of the two would be lost.
std::variant<Json, JsonError> parse_body(std::string_view text);

}  // namespace tenure::daemon
