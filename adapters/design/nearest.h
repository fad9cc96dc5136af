// "did you mean": for names in designs that are none.
//
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tenure::design {

// For people: "did you mean `timeout`?" when one is near, otherwise all of them.
std::string nearest(std::string_view name, std::span<const std::string_view> known);

}  // namespace tenure::design
