// How values of the core stand in a database: as text, or as whole numbers of 64 bits with a sign. Times and durations
// are microseconds; a number without a sign is the one with the same bits. A struct whose fields are listed
// (core/base/fields.h) is these, in order.
//
// Thread rule: pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "core/base/fields.h"
#include "core/base/time.h"

namespace tenure {

constexpr std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

template <class T>
concept IsLength = std::same_as<T, StoreTime> || std::same_as<T, Duration>;

// Of a number, a flag, an enum, an id, a time or a duration.
template <class T>
constexpr std::int64_t to_integer(const T& value) {
  if constexpr (IsLength<T>)
    return value.ns() / 1'000;
  else if constexpr (requires { value.value; })  // an id
    return to_integer(value.value);
  else
    return static_cast<std::int64_t>(value);
}
template <class T>
constexpr T from_integer(std::int64_t value) {
  if constexpr (std::same_as<T, StoreTime>)
    return StoreTime{} + Duration::micros(value);
  else if constexpr (std::same_as<T, Duration>)
    return Duration::micros(value);
  else if constexpr (requires(T id) { id.value; })
    return {static_cast<decltype(T::value)>(value)};
  else
    return static_cast<T>(value);
}

// visit(field) for each, those of structs within included.
template <class T, class Visit>
void visit_values(T& it, Visit&& visit) {
  if constexpr (HasFields<std::remove_const_t<T>>)
    visit_fields(it, [&](auto&... field) { (visit_values(field, visit), ...); });
  else
    visit(it);
}

// A row that is read field by field, from the left.
template <class Row>
class RowReader {
 public:
  std::uint64_t natural() { return as_unsigned(row().integer()); }
  std::uint32_t small() { return static_cast<std::uint32_t>(row().integer()); }
  StoreTime time() { return from_integer<StoreTime>(row().integer()); }
  // The next values, each by its field's type.
  template <class... Fields>
  void get(Fields&... fields) {
    const auto read = [this]<class Field>(Field& field) {
      if constexpr (std::same_as<Field, std::string>)
        field = row().text();
      else if constexpr (std::same_as<Field, bool>)
        field = row().flag();
      else
        field = from_integer<Field>(row().integer());
    };
    (visit_values(fields, read), ...);
  }

 private:
  Row& row() { return static_cast<Row&>(*this); }
};

}  // namespace tenure
