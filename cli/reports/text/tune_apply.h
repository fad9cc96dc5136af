// A setting as those who run it write it down: Go and flags for client-go, [election] for what is ours.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/tune/setting.h"

namespace tenure::cli {

// Of the first instance; lines, each after `indent`.
std::string configuration_of(const lab::Setting& setting, std::string_view indent);

}  // namespace tenure::cli
