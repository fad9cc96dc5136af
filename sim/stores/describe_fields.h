// A store's request or reply in words, from the list of its fields: as a design in Lua writes it.
//
//   set{key = 'leader', value = 'n1#1', nx = true, px = 30s}
//
// Stores whose words are worth more have sentences of their own, in their messages.cc.
//
// Thread rule: pure functions.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/model/describe.h"

namespace tenure {

inline std::string describe_field(bool it) { return it ? "true" : "false"; }
inline std::string describe_field(const std::string& it) { return "'" + on_one_line(it) + "'"; }
inline std::string describe_field(StoreTime it) { return describe(it); }
inline std::string describe_field(Duration it) { return describe(it); }
std::string describe_field(std::integral auto it) { return std::to_string(it); }
template <class T>
std::string describe_field(const std::optional<T>& it);
template <class T>
std::string describe_field(const std::vector<T>& it);
template <class T>
std::string describe_field(const std::map<std::string, T>& it);
template <class... T>
std::string describe_field(const std::variant<T...>& it);

// What is absent is left out, and so is a table without names.
template <HasFields T>
std::string describe_field(const T& it) {
  std::string text;
  visit_named_fields(it, [&text](std::string_view name, const auto& field) {
    if constexpr (requires { field.has_value(); })
      if (!field.has_value()) return;
    if constexpr (requires { field.begin()->second; })
      if (field.empty()) return;
    text.append(text.empty() ? "" : ", ").append(name).append(" = ").append(describe_field(field));
  });
  return snake_case(names_of(it).type) + "{" + text + "}";
}

template <class T>
std::string describe_field(const std::optional<T>& it) {
  return it ? describe_field(*it) : "nil";
}
template <class T>
std::string describe_field(const std::vector<T>& it) {
  std::string text;
  for (const T& each : it) text += (text.empty() ? "" : ", ") + describe_field(each);
  return "{" + text + "}";
}
template <class T>
std::string describe_field(const std::map<std::string, T>& it) {
  std::string text;
  for (const auto& [name, value] : it)
    text.append(text.empty() ? "" : ", ")
        .append(on_one_line(name))
        .append(" = ")
        .append(describe_field(value));
  return "{" + text + "}";
}
template <class... T>
std::string describe_field(const std::variant<T...>& it) {
  return std::visit([](const auto& one) { return describe_field(one); }, it);
}

}  // namespace tenure
