// JSON of a program, read with every key and type known: what is wrong is said in words.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tenure::design {

using Json = nlohmann::json;

// Thrown by what follows, and caught where a line or a file is read.
struct Nonsense {
  std::string what;
};

// The line as an object. Throws Nonsense.
Json object_of(std::string_view line);
// REQUIRES: `object` is one. Throw Nonsense when a key is unknown or missing, or has another type.
void know_keys(const Json& object, std::string_view of, std::span<const std::string_view> known);
void know_keys(const Json& object, std::string_view of, std::initializer_list<std::string_view> known);
const Json& field(const Json& object, const char* key);
std::int64_t whole(const Json& value, std::string_view what);
std::string text(const Json& value, std::string_view what);
bool flag(const Json& value, std::string_view what);
const Json& object(const Json& value, std::string_view what);
const Json& list(const Json& value, std::string_view what);

}  // namespace tenure::design
