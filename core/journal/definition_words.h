// The words of a definition's text (definition_codec.h), for its writer and its reader.
//
// Thread rule: constants and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/time.h"

namespace tenure::definition_words {

inline constexpr std::int64_t kMicro = 1'000;
inline constexpr std::int64_t kVersion = 1;

// Each enumeration's words, in the order of its values.
inline constexpr std::array<std::string_view, 3> kGaps = {"gap_end", "shift", "skip"};
inline constexpr std::array<std::string_view, 3> kDstOverlaps = {"first", "second", "both"};
inline constexpr std::array<std::string_view, 3> kPolicies = {"fire_all", "fire_once", "skip"};
inline constexpr std::array<std::string_view, 2> kOnce = {"latest", "earliest"};
inline constexpr std::array<std::string_view, 2> kPer = {"slot", "schedule"};
inline constexpr std::array<std::string_view, 4> kOverlaps = {"allow", "skip", "queue_one", "replace"};
inline constexpr std::array<std::string_view, 3> kKinds = {"work", "pull", "push"};

template <class Enum, std::size_t kCount>
std::string_view word(const std::array<std::string_view, kCount>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

inline std::int64_t micros(StoreTime time) { return time.ns() / kMicro; }

}  // namespace tenure::definition_words
