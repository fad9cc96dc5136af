// One number for each record, so that two runs that differ anywhere have different trace hashes.
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
