// Prints the sections [tune] and [profile]; internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "format/plans/plans.h"

namespace tenure::format {

// Empty when there is neither.
std::string print_tune(const Plans& plans);

}  // namespace tenure::format
