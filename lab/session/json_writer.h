// Writes JSON as text, piece by piece, in the order of the calls.
//
// It is not a library's, because seconds are exact decimals of integer nanoseconds and must not pass through a double,
// and because the same run must give the same bytes.
//
// Thread rule: one writer belongs to one thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace tenure::lab {

class JsonWriter {
 public:
  // With `indent`, one value on each line, for people; without, everything on one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  // The name of the next value. REQUIRES: inside an object.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::same_as<bool> auto flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& value(std::integral auto number) requires(!std::same_as<decltype(number), bool>) {
    return raw(std::to_string(number));
  }
  // Seconds, exactly.
  JsonWriter& value(Duration duration);
  // `number` billionths.
  JsonWriter& nano(std::int64_t number);
  JsonWriter& null() { return raw("null"); }
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <class T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // A field that is an array of values.
  template <class Values>
  JsonWriter& list(std::string_view name, const Values& values) {
    key(name).begin_array();
    for (const auto& each : values) value(each);
    return end_array();
  }

  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view text);
  void before_value();
  void new_line();

  int indent_;
  std::string text_;
  std::vector<bool> has_elements_;  // for each open object and array
  bool after_key_ = false;
};

}  // namespace tenure::lab
