// What the messages of a store are to core (core/store/message.h): hashed by their fields, and in words.
//
// A message is described by its store's `in_words`, and if there is none for it, by its fields.
//
// Thread rule: constants.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/base/fold.h"
#include "core/store/message.h"
#include "sim/stores/describe_fields.h"

namespace tenure {

template <class Family, std::uint8_t kNumber>
inline constexpr MessageKind kMessageKind = {
    .number = kNumber,
    .resource =
        [](const void* family) {
          return std::visit(
              [](const auto& message) -> ResourceId {
                if constexpr (requires { message.resource; }) return message.resource;
                return {};
              },
              *static_cast<const Family*>(family));
        },
    .index = [](const void* family) { return static_cast<const Family*>(family)->index(); },
    .add = [](Hasher& hasher, const void* family) { fold(hasher, *static_cast<const Family*>(family)); },
    .describe =
        [](const void* family) {
          return std::visit(
              []<class Message>(const Message& message) -> std::string {
                if constexpr (requires { in_words(message); })
                  return in_words(message);
                else
                  return describe_field(message);
              },
              *static_cast<const Family*>(family));
        }};

}  // namespace tenure
