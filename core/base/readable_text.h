// Texts that programs of others give us, for reports: a control character would act on a terminal, and a byte that is
// no UTF-8 makes a JSON document invalid.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenure {

// How many bytes from `at` on are one character in UTF-8 (RFC 3629); 0: none is.
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto follows = [&](std::size_t i, unsigned char low = 0x80, unsigned char high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(at + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned char low = first == 0xe0 ? 0xa0 : 0x80;   // shorter forms are not allowed
    const unsigned char high = first == 0xed ? 0x9f : 0xbf;  // nor halves of pairs of UTF-16
    return follows(at + 1, low, high) && follows(at + 2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const unsigned char low = first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xf4 ? 0x8f : 0xbf;
  return follows(at + 1, low, high) && follows(at + 2) && follows(at + 3) ? 4 : 0;
}

// The text with what no report can show as \xNN. Lines and tabs stay.
inline std::string readable_text(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string readable;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
    // U+0080 to U+009F are controls, too.
    const bool second_control =
        first == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    const std::size_t length = control || second_control ? 0 : utf8_length(text, at);
    if (length > 0) {
      readable += text.substr(at, length);
      at += length;
      continue;
    }
    readable += "\\x";
    readable += kDigits[first >> 4];
    readable += kDigits[first & 0xf];
    ++at;
  }
  return readable;
}

}  // namespace tenure
