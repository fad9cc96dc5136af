// A text as TOML has it, with quotes around it.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tenure::format {

std::string quoted(std::string_view text);

}  // namespace tenure::format
