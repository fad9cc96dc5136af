// The part of the key table that is about schedules; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include <span>
#include <string_view>

#include "core/schedule/schedule_fields.h"
#include "format/schema/keys.h"

namespace tenure::format {

extern const SectionSpec kScheduleSection;
extern const SectionSpec kChangeSection;

// The list of instants of a schedule. In a change, `at` is when the client acts.
inline constexpr std::string_view kTimesOfSchedule = "at";
inline constexpr std::string_view kTimesOfChange = "times";

// As a section calls the field whose list of instants is `times`.
inline std::string_view key_of(const ScheduleField& field, std::string_view times) {
  return field.type == ScheduleField::Type::instants ? times : field.name;
}
// Those of a payload: `topic`, `type`, `payload_bytes`.
std::span<const std::string_view> payload_keys();

}  // namespace tenure::format
