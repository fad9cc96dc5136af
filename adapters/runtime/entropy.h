// Random bits of the system.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace tenure {

std::uint64_t random_bits();

}  // namespace tenure
