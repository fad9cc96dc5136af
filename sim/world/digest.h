// One number for what a record says, so that two runs that differ anywhere differ in their trace hash.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "sim/world/record.h"

namespace tenure::sim {

std::uint64_t digest(const Record& record);
std::uint64_t digest(const Request& request);
std::uint64_t digest(const Reply& reply);
std::uint64_t digest(const Message& message);

}  // namespace tenure::sim
