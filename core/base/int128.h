// 128-bit products of times and rates, rounded to a stated side.
//
// T * (1e6 - ppm) overflows 64 bits from 2.56 hours on. So every product of a duration and a ratio is computed here,
// and says which way it rounds.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "core/base/check.h"

namespace tenure {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

namespace detail {
constexpr std::int64_t narrow(int128 value) {
  if (value > INT64_MAX) return INT64_MAX;
  if (value < INT64_MIN) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}
}  // namespace detail

// value * numerator / denominator, rounded towards minus infinity; saturates. REQUIRES: denominator > 0.
constexpr std::int64_t mul_div_floor(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  const int128 product = static_cast<int128>(value) * numerator;
  int128 quotient = product / denominator;
  if (product % denominator < 0) --quotient;
  return detail::narrow(quotient);
}

// value * numerator / denominator, rounded towards plus infinity; saturates. REQUIRES: denominator > 0.
constexpr std::int64_t mul_div_ceil(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  const int128 product = static_cast<int128>(value) * numerator;
  int128 quotient = product / denominator;
  if (product % denominator > 0) ++quotient;
  return detail::narrow(quotient);
}

}  // namespace tenure
