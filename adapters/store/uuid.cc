#include "adapters/store/uuid.h"

#include <algorithm>
#include <bit>

namespace tenure {
namespace {

// SHA-1 (FIPS 180-4), which version 5 is defined by. It names things here, and keeps nothing from anybody.
std::array<std::uint8_t, 20> sha1(std::string text) {
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  text += '\x80';
  text.append((120 - text.size() % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift & 0xff);

  std::array<std::uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (std::size_t block = 0; block < text.size(); block += 64) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(text[block + i]);
    for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = state;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                              : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                              : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                       : (b ^ c ^ d) + 0xca62c1d6;
      const std::uint32_t next = std::rotl(a, 5) + f + e + w[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
  }
  std::array<std::uint8_t, 20> digest{};
  for (std::size_t i = 0; i < 20; ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - i % 4 * 8));
  return digest;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Uuid uuid_of_name(const Uuid& space, std::string_view name) {
  std::string text(space.begin(), space.end());
  const auto digest = sha1(text.append(name));
  Uuid uuid{};
  std::copy_n(digest.begin(), uuid.size(), uuid.begin());
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x50);  // version 5
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);  // the variant of RFC 9562
  return uuid;
}

std::string text_of(const Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 0xf];
  }
  return text;
}

std::optional<Uuid> read_uuid(std::string_view text) {
  std::string digits(text);
  if (digits.size() == 36) {
    for (const std::size_t dash : {8U, 13U, 18U, 23U})
      if (digits[dash] != '-') return std::nullopt;
    std::erase(digits, '-');
  }
  if (digits.size() != 32) return std::nullopt;
  Uuid uuid{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int digit = digit_of(digits[i]);
    if (digit < 0) return std::nullopt;
    uuid[i / 2] = static_cast<std::uint8_t>(uuid[i / 2] << 4 | digit);
  }
  return uuid;
}

}  // namespace tenure
