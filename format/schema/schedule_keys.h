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

// The list of instants that a schedule is due at. In a change, `at` is when the client acts.
inline constexpr std::string_view kTimesOfSchedule = "at";
inline constexpr std::string_view kTimesOfChange = "times";

// What both sections say of a definition, but for those lists.
std::span<const KeySpec> definition_keys();

}  // namespace tenure::sim
