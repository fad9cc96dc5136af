// A value and all that it is made of, added to a hash: structs by their fields (fields.h), lists by their length and
// their members, one of several kinds by its place among them.
//
// The sink is a Hasher, or something that adds to one in its own way (StateHasher). What has a function hash(sink), or
// add(sink, value) in its namespace, is added by that.
//
// Thread rule: pure functions.
#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <tuple>
#include <variant>

#include "core/base/fields.h"
#include "core/base/hash.h"

namespace tenure {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class Sink, class T>
void fold(Sink& sink, const T& value) {
  if constexpr (kIsOptional<T>) {
    sink.add(value.has_value());
    if (value) fold(sink, *value);
  } else if constexpr (requires { std::variant_size<T>::value; }) {
    sink.add(value.index());
    std::visit([&](const auto& alternative) { fold(sink, alternative); }, value);
  } else if constexpr (requires { value.hash(sink); }) {
    value.hash(sink);
  } else if constexpr (requires { sink.add(value); }) {
    sink.add(value);
  } else if constexpr (HasFields<T>) {
    visit_fields(value, [&](const auto&... field) { (fold(sink, field), ...); });
  } else if constexpr (requires { add(sink, value); }) {
    add(sink, value);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::apply([&](const auto&... member) { (fold(sink, member), ...); }, value);
  } else {
    sink.add(std::ranges::size(value));
    for (const auto& member : value) fold(sink, member);
  }
}
template <class Sink, class... T>
  requires(sizeof...(T) > 1)
void fold(Sink& sink, const T&... values) { (fold(sink, values), ...); }

}  // namespace tenure
