// SHA-256 (FIPS 180-4), for what must not be changed unnoticed: a journal's chain of lines.
//
// Thread rule: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenure {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);
// Its first `bytes` bytes in lower-case hexadecimal digits. REQUIRES: bytes <= 32.
std::string sha256_hex(std::string_view text, std::size_t bytes = 32);

}  // namespace tenure
