// What a request is about, and the token that it shows.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <type_traits>
#include <variant>

#include "core/store/store_machine.h"

namespace tenure::judging {

inline ResourceId resource_of(const Request& request) {
  if (const auto* open = std::get_if<OpenMessage>(&request)) return open->resource();
  return std::visit([](const auto& asked) { return asked.resource; }, std::get<reference::Request>(request));
}

// Of a request that must show one.
inline std::optional<Token> token_of(const Request& request) {
  const auto* reference = std::get_if<reference::Request>(&request);
  if (reference == nullptr) return std::nullopt;
  return std::visit(
      [](const auto& asked) -> std::optional<Token> {
        if constexpr (requires { asked.token; }) return asked.token;
        return std::nullopt;
      },
      *reference);
}

// The request or the reply, if it is one of the reference store's of this type.
template <class T>
const T* as_reference(const Request& request) {
  const auto* reference = std::get_if<reference::Request>(&request);
  return reference != nullptr ? std::get_if<T>(reference) : nullptr;
}
template <class T>
const T* as_reference(const Reply& reply) {
  const auto* reference = std::get_if<reference::Reply>(&reply);
  return reference != nullptr ? std::get_if<T>(reference) : nullptr;
}

}  // namespace tenure::judging
