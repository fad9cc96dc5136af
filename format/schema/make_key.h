// Keys of the key table, by type; internal to this room. What is left out is as usual: a duration is at least 0 and at
// most a year, and a key without a default has none.
//
// Thread rule: pure functions.
#pragma once

#include "format/schema/quantile_keys.h"

namespace tenure::format::keys {

using Type = ValueType;

inline constexpr std::int64_t kMillisecond = 1'000'000;

constexpr KeySpec key(std::string_view name, Type type, std::string_view doc, std::string_view fallback = "",
                      std::int64_t min = INT64_MIN, std::int64_t max = INT64_MAX) {
  return {.name = name, .type = type, .doc = doc, .fallback = fallback, .min = min, .max = max};
}
constexpr KeySpec required(KeySpec key) {
  key.required = true;
  return key;
}

constexpr KeySpec text(std::string_view name, std::string_view doc, std::string_view fallback = "") {
  return key(name, Type::text, doc, fallback);
}
constexpr KeySpec name(std::string_view name, std::string_view doc, std::string_view fallback = "") {
  return key(name, Type::name, doc, fallback);
}
constexpr KeySpec names(std::string_view name, std::string_view doc) { return key(name, Type::names, doc); }
constexpr KeySpec flag(std::string_view name, std::string_view doc, std::string_view fallback) {
  return key(name, Type::boolean, doc, fallback);
}
constexpr KeySpec choice(std::string_view name, std::string_view doc,
                         std::span<const std::string_view> choices, std::string_view fallback = "") {
  KeySpec made = key(name, Type::choice, doc, fallback);
  made.choices = choices;
  return made;
}

constexpr KeySpec count(std::string_view name, std::string_view doc, std::string_view fallback,
                        std::int64_t min, std::int64_t max = INT64_MAX) {
  return key(name, Type::count, doc, fallback, min, max);
}
// Of one million; none by default.
constexpr KeySpec fraction(std::string_view name, std::string_view doc) {
  return key(name, Type::fraction, doc, "0", 0, 1'000'000);
}
constexpr KeySpec duration(std::string_view name, std::string_view doc, std::string_view fallback = "",
                           std::int64_t min = 0, std::int64_t max = kYearNs) {
  return key(name, Type::duration, doc, fallback, min, max);
}
constexpr KeySpec quantiles(std::string_view name, std::string_view doc, std::string_view fallback,
                            std::int64_t min = INT64_MIN) {
  KeySpec made = key(name, Type::quantiles, doc, fallback, min);
  made.section = &kQuantilesSection;
  return made;
}
constexpr KeySpec lengths(std::string_view name, std::string_view doc, std::int64_t min) {
  KeySpec made = key(name, Type::lengths, doc, {}, min, kYearNs);
  made.section = &kQuantilesSection;
  return made;
}

constexpr KeySpec table(std::string_view name, std::string_view doc, const SectionSpec& section) {
  KeySpec made = key(name, Type::table, doc);
  made.section = &section;
  return made;
}
constexpr KeySpec tables(std::string_view name, std::string_view doc, const SectionSpec& section) {
  KeySpec made = table(name, doc, section);
  made.type = Type::tables;
  return made;
}

}  // namespace tenure::format::keys
