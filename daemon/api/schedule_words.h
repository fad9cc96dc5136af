// The words of a schedule's choices, in the order of their values; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include <string_view>

namespace tenure::daemon::words {

inline constexpr std::string_view kGaps[] = {"gap_end", "shift", "skip"};
inline constexpr std::string_view kDstOverlaps[] = {"first", "second", "both"};
inline constexpr std::string_view kPolicies[] = {"fire_all", "fire_once", "skip"};
inline constexpr std::string_view kOnce[] = {"latest", "earliest"};
inline constexpr std::string_view kPer[] = {"slot", "schedule"};
inline constexpr std::string_view kStandings[] = {"claimed",  "cancelled", "failed",  "completed", "dead",
                                                  "replaced", "reissued",  "unknown", "released"};
inline constexpr std::string_view kOverlaps[] = {"allow", "skip", "queue_one", "replace"};

template <class Enum, std::size_t kCount>
std::string_view word(const std::string_view (&words)[kCount], Enum value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace tenure::daemon::words
