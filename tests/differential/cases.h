// Drawn questions for other implementations of cron: an expression, a zone and an instant.
//
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/schedule/time_zone.h"

namespace tenure::differential {

struct Case {
  // minute, hour, day of month, month, day of week; in our words.
  std::array<std::string, 5> fields;
  std::string zone = "UTC";
  std::int64_t from = 0;  // asked for: the slots after this second
};

std::string expression_of(const Case& one);

// Cases that once told something and that later draws may not hit.
std::vector<Case> kept_cases();
// `count` cases in UTC, twenty to an instant: systemd-analyze takes them in one go.
std::vector<Case> draw_utc(std::uint64_t seed, int count);
// `count` cases in a zone, most of them close to a change of its clock between 2000 and 2037.
std::vector<Case> draw_near_changes(std::uint64_t seed, int count, const TimeZone& zone);

}  // namespace tenure::differential
