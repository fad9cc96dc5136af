// SHA-256 (FIPS 180-4), so that a change of a journal's lines is noticed.
//
// Thread rule: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenure {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);
// The hash's first `bytes` bytes in lower-case hexadecimal digits. REQUIRES: bytes <= 32.
std::string sha256_hex(std::string_view text, std::size_t bytes = 32);

}  // namespace tenure
