// What core and sim may not use, because it would make a run depend on more than its scenario and seed.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {

std::vector<Finding> banned(const Source& source);

// Variables at namespace scope, static members and static locals that can change.
std::vector<Finding> mutable_globals(const Source& source);

}  // namespace tenure::tidy
