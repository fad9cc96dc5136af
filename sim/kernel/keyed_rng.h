// Keyed noise: every random draw is a pure function of the seed and of its purpose.
//
// With a stream of random numbers, removing one fault would give the 17th draw to another message, and shrinking would
// lose its failure. So nothing here has state: environment noise is keyed by (seed, link, purpose, time bucket, ordinal
// in the bucket), node randomness by (node, incarnation, purpose, counter), faults by their permanent id.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/base/hash.h"

namespace tenure::sim {

class KeyedRng {
 public:
  explicit constexpr KeyedRng(std::uint64_t seed) : state_(mix64(seed, 0x6a09e667f3bcc909ULL)) {}

  // The noise of one subject: KeyedRng(seed).of("link").of(3).of(now_bucket).bits()
  constexpr KeyedRng of(std::uint64_t key) const { return KeyedRng{state_, key}; }
  constexpr KeyedRng of(std::string_view purpose) const { return KeyedRng{state_, hash_text(purpose)}; }

  constexpr std::uint64_t bits() const { return mix64(state_, 0xbb67ae8584caa73bULL); }
  // In [0, n). REQUIRES: n > 0.
  constexpr std::uint64_t below(std::uint64_t n) const { return reduce(bits(), n); }
  // In [low, high], both ends included. REQUIRES: low <= high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) const {
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    if (width == 0) return static_cast<std::int64_t>(bits());
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + below(width));
  }

 private:
  constexpr KeyedRng(std::uint64_t state, std::uint64_t key)
      : state_(mix64(state ^ 0x3c6ef372fe94f82bULL, key)) {}
  std::uint64_t state_;
};

}  // namespace tenure::sim
