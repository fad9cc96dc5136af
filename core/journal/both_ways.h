// The fields of a journal's objects, for code that says once how an object is written and how it is read:
//
//     template <class Io>
//     struct Fields {
//       Io& io;
//       void operator()(In<Io, Token>& token) const {
//         io("branch", token.branch);
//         …
//
// With a FieldsWriter it writes these fields in this order, with a FieldsReader it reads them. A field's type says how
// it is written: times of a store in microseconds, other times and lengths in nanoseconds, ids as their numbers,
// enumerators by name_of().
//
// Thread rule: one belongs to one thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/describe.h"

namespace tenure::journal {

template <class Io>
struct Fields;
template <class Io, class Object>
void each_field(Io& io, Object& object) {
  Fields<Io>{io}(object);
}
// An object whose fields are written or, to read it, filled in.
template <class Io, class Object>
using In = std::conditional_t<Io::kReads, Object, const Object>;

class FieldsWriter {
 public:
  static constexpr bool kReads = false;
  using Json = nlohmann::ordered_json;

  explicit FieldsWriter(Json& json) : json_(json) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = plain(value);
  }
  // For people; no program reads it.
  void words(const char* key, std::string_view text) { json_[key] = text; }
  // 64 bits, in decimals, as a string.
  void long_number(const char* key, std::uint64_t number) { json_[key] = std::to_string(number); }
  // Nothing is written of what is `usual`.
  template <class T>
  void unless(const T& usual, const char* key, const T& value) {
    if (value != usual) (*this)(key, value);
  }
  // An object's fields, the first of which is `key`; nothing is written if there is none.
  template <class T>
  void maybe(const char*, const std::optional<T>& value) {
    if (value) each_field(*this, *value);
  }
  // Who asks is who writes the line.
  void holder(Incarnation) {}
  template <class T>
  void list(const char* key, const std::vector<T>& all) {
    Json& list = json_[key] = Json::array();
    for (const T& each : all) {
      if constexpr (std::is_enum_v<T>) {
        list.push_back(plain(each));
      } else {
        FieldsWriter writer(list.emplace_back(Json::object()));
        each_field(writer, each);
      }
    }
  }
  Json& json() { return json_; }

 private:
  template <class T>
  static auto plain(const T& value) {
    if constexpr (std::is_enum_v<T>)
      return name_of(value);
    else if constexpr (std::is_same_v<T, StoreTime>)
      return value.ns() / 1'000;
    else if constexpr (requires { value.ns(); })
      return value.ns();
    else if constexpr (requires { value.value; })
      return value.value;
    else
      return value;
  }

  Json& json_;
};

// What a line is read with, and what was found.
struct Reading {
  Incarnation who;
  const TimeZones* zones = nullptr;
  std::string complaint;           // the first; what is read after it means nothing
  std::vector<ScheduleId> unread;  // whose definitions cannot be read here
};

// Nothing is taken on trust: a field that is missing, of another type or out of range is a complaint.
class FieldsReader {
 public:
  static constexpr bool kReads = true;
  using Json = nlohmann::json;

  FieldsReader(const Json& json, Reading& reading) : json_(json), reading_(reading) {}

  template <class T>
  void operator()(const char* key, T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = of(key, &Json::is_boolean, "neither true nor false").template get<bool>();
    else if constexpr (std::is_same_v<T, std::string>)
      value = string(key);
    else if constexpr (std::is_enum_v<T>)
      value = named<T>(key, string(key));
    else if constexpr (std::is_same_v<T, StoreTime>)
      value = store_time(key);
    else if constexpr (std::is_same_v<T, Duration>)
      value = Duration::nanos(number<std::int64_t>(key));
    else if constexpr (requires { value.ns(); })
      value = T::from_ns(number<std::int64_t>(key));
    else if constexpr (requires { value.value; })
      value.value = number<decltype(value.value)>(key);
    else
      value = number<T>(key);
  }
  void words(const char*, std::string_view) {}
  void long_number(const char* key, std::uint64_t& value) {
    const std::string text = string(key);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      complain(quoted(key) + " is no number in a string: \"" + text + "\"");
  }
  template <class T>
  void unless(const T& usual, const char* key, T& value) {
    if (has(key))
      (*this)(key, value);
    else
      value = usual;
  }
  template <class T>
  void maybe(const char* key, std::optional<T>& value) {
    if (has(key)) each_field(*this, value.emplace());
  }
  void holder(Incarnation& holder) { holder = reading_.who; }
  template <class T>
  void list(const char* key, std::vector<T>& all) {
    for (const Json& each : of(key, &Json::is_array, "no list")) {
      if constexpr (std::is_enum_v<T>) {
        all.push_back(named<T>(key, each.is_string() ? each.get<std::string>() : ""));
      } else {
        if (!each.is_object()) complain(quoted(key) + " has something that is no object");
        FieldsReader reader(each, reading_);
        each_field(reader, all.emplace_back());
      }
    }
  }

  bool has(const char* key) const { return json_.contains(key); }
  std::string string(const char* key) { return of(key, &Json::is_string, "no string").get<std::string>(); }
  // The field's value if it `is` of its type; else an empty one of that type.
  const Json& of(const char* key, bool (Json::*is)() const noexcept, std::string_view what) {
    static const Json kEmpty[] = {false, "", Json::array(), Json::object()};
    const auto it = json_.find(key);
    if (it != json_.end() && ((*it).*is)()) return *it;
    complain(quoted(key) +
             (it == json_.end() ? " is missing" : " is " + std::string(what) + ": " + shown(*it)));
    for (const Json& empty : kEmpty)
      if ((empty.*is)()) return empty;
    return kEmpty[0];
  }
  const Json& json() const { return json_; }
  Reading& reading() { return reading_; }
  void complain(std::string what) {
    if (reading_.complaint.empty()) reading_.complaint = std::move(what);
  }

 private:
  template <class Number>
  Number number(const char* key) {
    const auto it = json_.find(key);
    if (it == json_.end()) {
      complain(quoted(key) + " is missing");
      return {};
    }
    if (it->is_number_unsigned() && std::in_range<Number>(it->get<std::uint64_t>()))
      return static_cast<Number>(it->get<std::uint64_t>());
    if (it->is_number_integer() && !it->is_number_unsigned() &&
        std::in_range<Number>(it->get<std::int64_t>()))
      return static_cast<Number>(it->get<std::int64_t>());
    complain(quoted(key) + " is no number that fits there: " + shown(*it));
    return {};
  }
  StoreTime store_time(const char* key) {
    const auto us = number<std::int64_t>(key);
    if (us <= INT64_MAX / 1'000 && us >= INT64_MIN / 1'000) return StoreTime::from_ns(us * 1'000);
    complain(quoted(key) + " is no time: " + std::to_string(us));
    return {};
  }
  // The enumerators have the values from 0 on. No row of the ledger says `replaced`.
  template <class Enum>
  Enum named(const char* key, std::string_view text) {
    for (int i = 0; name_of(static_cast<Enum>(i)) != "?"; ++i)
      if (name_of(static_cast<Enum>(i)) == text && text != name_of(reference::Disposition::replaced))
        return static_cast<Enum>(i);
    complain(quoted(key) + " cannot be \"" + std::string(text) + "\"");
    return {};
  }
  static std::string quoted(const char* key) { return "`" + std::string(key) + "`"; }
  static std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "…";
    return text;
  }

  const Json& json_;
  Reading& reading_;
};

}  // namespace tenure::journal
