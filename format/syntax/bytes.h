// Checks of a scenario's bytes, before a TOML parser sees them.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::format {

// The length of the character that begins at `at`, or 0 when it is not UTF-8 (RFC 3629: no overlong forms, no
// surrogates).
std::size_t utf8_length(std::string_view text, std::size_t at);

struct BadBytes {
  std::size_t at = 0;  // the first bad byte
  std::string message;
  std::string hint;
};

// Finds NUL bytes, and bytes that are not UTF-8.
std::optional<BadBytes> check_encoding(std::string_view text);

// Lines longer than this are errors: nobody writes them, and places in them take long to count.
inline constexpr std::size_t kLongestLine = 4'000;
std::optional<BadBytes> check_lines(std::string_view text);

// Finds brackets and dotted keys that nest too deep: a deep tree would overflow the stack when it is walked or freed.
// Agrees with TOML about strings and comments up to the first syntax error; the parser stops there anyway.
std::optional<BadBytes> check_depth(std::string_view text);

}  // namespace tenure::format
