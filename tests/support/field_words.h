// Reads requests from text by their fields (core/base/fields.h): in their order, or by name.
//
//   put k a lease=5
//   txn compare=(k version=2) success=(put k b; put l b)
//
// `""` is an empty text, `\0` a zero byte, `-` nothing where a field may have none. A type whose text is shorter than
// its fields specialises FromText.
//
// Thread rule: pure functions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "tests/support/interaction.h"

namespace tenure::testing {

// Parts of the text at `by`, but not within parentheses.
inline std::vector<std::string> parts(const std::string& text, char by) {
  std::vector<std::string> all(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == by && depth == 0)
      all.emplace_back();
    else
      all.back() += c;
  }
  std::erase(all, "");
  return all;
}
inline std::string without_parentheses(const std::string& text) {
  return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
}

// static T read(const std::string& text). With kOnlyByName a field of this type is passed over in the order of fields.
template <class T>
struct FromText;

template <>
struct FromText<ResourceId> {
  static constexpr bool kOnlyByName = true;
  static ResourceId read(const std::string& text) { return {static_cast<std::uint32_t>(std::stoul(text))}; }
};
template <>
struct FromText<ScheduleId> {
  static ScheduleId read(const std::string& text) { return {static_cast<std::uint32_t>(std::stoul(text))}; }
};
// An enumerator's name, with `_` for its spaces.
template <class Enum>
  requires std::is_enum_v<Enum>
struct FromText<Enum> {
  static Enum read(std::string text) {
    std::replace(text.begin(), text.end(), '_', ' ');
    int value = 0;
    if constexpr (requires { name_of(Enum{}); })
      while (value < 32 && name_of(static_cast<Enum>(value)) != text) ++value;
    else
      value = std::stoi(text);
    EXPECT_LT(value, 32) << text;
    return static_cast<Enum>(value);
  }
};
// "n1", or its second life "n1#2".
inline Incarnation incarnation_of(const std::string& text) {
  const std::size_t life = text.find('#');
  return {NodeId{static_cast<std::uint32_t>(std::stoul(text.substr(1)) - 1)},
          life == std::string::npos ? 1 : static_cast<std::uint32_t>(std::stoul(text.substr(life + 1)))};
}

template <class T>
void read(const std::string& text, T& value);
template <class T>
void read(const std::string& text, std::optional<T>& value);
template <class T>
void read(const std::string& text, std::vector<T>& values);

template <class T>
void read_fields(const std::string& text, T& value) {
  const std::vector<std::string> words = parts(without_parentheses(text), ' ');
  const auto is_named = [](const std::string& word) { return word.find('=') < word.find('('); };
  std::size_t place = 0;
  std::size_t used = 0;
  visit_named_fields(value, [&]<class Field>(std::string_view name, Field& field) {
    const std::string named = std::string(name) + "=";
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&named](const std::string& word) { return word.starts_with(named); });
    if (found != words.end()) {
      ++used;
      return read(found->substr(named.size()), field);
    }
    if constexpr (requires { FromText<Field>::kOnlyByName; }) return;
    if (place == words.size() || is_named(words[place])) return;
    ++used;
    read(words[place++], field);
  });
  EXPECT_EQ(used, words.size()) << text << ": has more than its fields";
}
template <class T>
void read(const std::string& text, std::optional<T>& value) {
  if (text != "-") read(text, value.emplace());
}
template <class T>
void read(const std::string& text, std::vector<T>& values) {
  for (const std::string& part : parts(without_parentheses(text), ';')) read(part, values.emplace_back());
}
template <class... T>
void read_alternative(const std::string& text, std::variant<T...>& value) {
  const std::string name = parts(text, ' ').front();
  const auto as = [&](auto one) {
    if (snake_case(names_of(one).type) != name) return false;
    read_fields(text.substr(text.find(name) + name.size()), one);
    value = one;
    return true;
  };
  EXPECT_TRUE((as(T{}) || ...)) << text << " is no request";
}
template <class T>
void read(const std::string& text, T& value) {
  if constexpr (requires { FromText<T>::read(text); })
    value = FromText<T>::read(without_parentheses(text.substr(text.find_first_not_of(' '))));
  else if constexpr (std::is_same_v<T, std::string>)
    value = text == "\"\"" ? "" : text == "\\0" ? std::string(1, '\0') : text;
  else if constexpr (std::is_same_v<T, bool>)
    value = text == "true";
  else if constexpr (std::is_same_v<T, Duration>)
    value = duration_of(text).value();
  else if constexpr (std::integral<T>)
    value = static_cast<T>(text[0] == '-' ? std::stoll(text) : static_cast<std::int64_t>(std::stoull(text)));
  else if constexpr (requires { read_alternative(text, value); })
    read_alternative(text, value);
  else
    read_fields(text, value);
}

}  // namespace tenure::testing
