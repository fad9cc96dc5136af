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
// Most products fit into 64 bits, for which the processor has a division of its own.
constexpr bool is_narrow(int128 value) { return value == static_cast<std::int64_t>(value); }

template <class Int>
constexpr Int div_floor(Int product, std::int64_t denominator) {
  return product / denominator - (product % denominator < 0 ? 1 : 0);
}
template <class Int>
constexpr Int div_ceil(Int product, std::int64_t denominator) {
  return product / denominator + (product % denominator > 0 ? 1 : 0);
}
}  // namespace detail

// value * numerator / denominator, rounded towards minus infinity; saturates. REQUIRES: denominator > 0.
constexpr std::int64_t mul_div_floor(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  const int128 product = static_cast<int128>(value) * numerator;
  if (detail::is_narrow(product)) return detail::div_floor(static_cast<std::int64_t>(product), denominator);
  return detail::narrow(detail::div_floor(product, denominator));
}

// value * numerator / denominator, rounded towards plus infinity; saturates. REQUIRES: denominator > 0.
constexpr std::int64_t mul_div_ceil(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  const int128 product = static_cast<int128>(value) * numerator;
  if (detail::is_narrow(product)) return detail::div_ceil(static_cast<std::int64_t>(product), denominator);
  return detail::narrow(detail::div_ceil(product, denominator));
}

}  // namespace tenure
