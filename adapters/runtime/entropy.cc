#include "adapters/runtime/entropy.h"

#include <sys/random.h>

#include "core/base/check.h"

namespace tenure {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  CHECK(getrandom(&bits, sizeof bits, 0) == sizeof bits, "the system has random bits");
  return bits;
}

}  // namespace tenure
