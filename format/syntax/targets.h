// The names of targets, and of faults' ids, both ways.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/scenario/scenario.h"

namespace tenure::format {

// leader, believer, standby, one, minority, majority, all.
std::span<const std::string_view> target_names();
std::optional<sim::Target::Kind> find_target(std::string_view name);
std::string_view name_of(sim::Target::Kind kind);  // REQUIRES: not none, not named

// "n" and digits, whether or not there is such an instance.
bool looks_like_instance(std::string_view text);

// 3 as "3"; a drawn id, which is much larger, as "0x9f3c21a07be4d815".
std::string print_permanent_id(std::uint64_t id);

}  // namespace tenure::format
