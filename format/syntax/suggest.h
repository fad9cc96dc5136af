// "did you mean …?": the known name that a mistyped one is closest to.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenure::format {

// Optimal string alignment distance: insertions, deletions, replacements, and swaps of neighbours (Damerau
// 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest of `known`, if it is close enough; the first of equals.
std::optional<std::string_view> closest(std::string_view name, std::span<const std::string_view> known);

// The hint for an unknown name: "did you mean `x`?", else "one of a, b, c" when there are few, else empty.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

// The hint for an unknown time zone: `known` are names like "Europe/Berlin", of which people write the last part.
std::string zone_suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace tenure::format
