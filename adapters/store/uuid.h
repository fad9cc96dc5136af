// UUIDs that are computed from a name (RFC 9562, version 5): whoever knows the name has the same one.
//
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure {

using Uuid = std::array<std::uint8_t, 16>;

// The UUID of `name` within `space`.
Uuid uuid_of_name(const Uuid& space, std::string_view name);
// 36 characters: "2ed6657d-e927-568b-95e1-2665a8aea6a2".
std::string text_of(const Uuid& uuid);
// From 32 hexadecimal digits, with or without the dashes. nullopt: it is something else.
std::optional<Uuid> read_uuid(std::string_view text);

}  // namespace tenure
