// The version of Tenure: the same version, scenario and seed give the same run.
//
// Thread rule: pure functions.
#pragma once

#include <string_view>

namespace tenure::lab {

std::string_view version();  // "0.1.0"

}  // namespace tenure::lab
