// A value and all that it is made of, added to a hash: structs by their fields (fields.h), lists by their length and
// their members, one of several kinds by its place among them.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/hash.h"

namespace tenure {

void fold(Hasher& hasher, const auto& value) requires(requires { hasher.add(value); }) { hasher.add(value); }
// Of a type whose room has its own way: add(hasher, value).
void fold(Hasher& hasher, const auto& value) requires(requires { add(hasher, value); }) {
  add(hasher, value);
}
template <class... T>
void fold(Hasher& hasher, const std::variant<T...>& value);
template <class T>
void fold(Hasher& hasher, const std::vector<T>& values);
template <class T>
void fold(Hasher& hasher, const std::optional<T>& value);
template <class T>
void fold(Hasher& hasher, const std::map<std::string, T>& values);

template <HasFields T>
void fold(Hasher& hasher, const T& value) {
  visit_fields(value, [&](const auto&... field) { (fold(hasher, field), ...); });
}

template <class... T>
void fold(Hasher& hasher, const std::variant<T...>& value) {
  hasher.add(value.index());
  std::visit([&](const auto& alternative) { fold(hasher, alternative); }, value);
}
template <class T>
void fold(Hasher& hasher, const std::vector<T>& values) {
  hasher.add(values.size());
  for (const T& value : values) fold(hasher, value);
}
template <class T>
void fold(Hasher& hasher, const std::optional<T>& value) {
  hasher.add(value.has_value());
  if (value) fold(hasher, *value);
}
template <class T>
void fold(Hasher& hasher, const std::map<std::string, T>& values) {
  hasher.add(values.size());
  for (const auto& [name, value] : values) {
    hasher.add(name);
    fold(hasher, value);
  }
}

}  // namespace tenure
