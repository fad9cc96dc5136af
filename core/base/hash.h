// A running 64-bit hash: trace hashes, state hashes, and keyed noise.
//
// The mixing step is the 128-bit multiply-and-fold of wyhash (Wang Yi, public domain); the constants are odd
// numbers with balanced bits. The result depends on the values alone: the same on every compiler and machine.
// Not cryptographic.
//
// Thread rule: one Hasher belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/int128.h"
#include "core/base/time.h"

namespace tenure {

constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  const uint128 product = static_cast<uint128>(a ^ 0x2d358dccaa6c78a5ULL) * (b ^ 0x8bb84b93962eacc9ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t state = text.size();
  for (const char c : text) state = mix64(state, static_cast<unsigned char>(c));
  return state;
}

// A number in [0, n), with negligible bias: the high half of bits * n. REQUIRES: n > 0.
constexpr std::uint64_t reduce(std::uint64_t bits, std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<uint128>(bits) * n) >> 64);
}

class Hasher {
 public:
  constexpr Hasher() = default;
  explicit constexpr Hasher(std::uint64_t seed) : state_(seed) {}

  constexpr Hasher& add(std::uint64_t value) {
    state_ = mix64(state_ ^ 0x9e3779b97f4a7c15ULL, value);
    return *this;
  }
  constexpr Hasher& add(std::string_view text) { return add(hash_text(text)); }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  constexpr Hasher& add(T value) { return add(static_cast<std::uint64_t>(value)); }
  constexpr Hasher& add(Duration d) { return add(d.ns()); }
  template <class Clock, std::int64_t kUnit>
  constexpr Hasher& add(TimePoint<Clock, kUnit> t) {
    return add(t.ns());
  }
  template <class Tag, class Rep>
  constexpr Hasher& add(Id<Tag, Rep> id) {
    return add(id.value);
  }
  constexpr Hasher& add(Incarnation i) { return add((std::uint64_t{i.node.value} << 32) | i.number); }
  constexpr Hasher& add(RequestId id) { return add(id.incarnation).add(id.counter); }
  constexpr Hasher& add(const Token& t) { return add(t.branch).add(t.epoch).add(t.nonce); }
  template <class T>
  constexpr Hasher& add(const std::optional<T>& value) {
    return value ? add(1).add(*value) : add(0);
  }

  constexpr std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace tenure
