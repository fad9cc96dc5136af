// The part of the key table that is about schedules; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include <span>
#include <string_view>

#include "format/schema/keys.h"

namespace tenure::sim {

extern const SectionSpec kScheduleSection;
extern const SectionSpec kChangeSection;

// The list of instants of a schedule. In a change, `at` is when the client acts.
inline constexpr std::string_view kTimesOfSchedule = "at";
inline constexpr std::string_view kTimesOfChange = "times";

// The keys of a definition that both sections have, without those lists.
std::span<const KeySpec> definition_keys();
// Those of a payload: `topic`, `type`, `payload_bytes`.
std::span<const std::string_view> payload_keys();

}  // namespace tenure::sim
