#include "format/syntax/bytes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::format {
namespace {

constexpr int kMaxDepth = 32;  // brackets within brackets
constexpr int kMaxDots = 16;   // in one key

// The place after the string that begins at `at`, or of the line end that cuts it off.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool multi_line = text.substr(at, 3) == three;
  std::size_t i = at + (multi_line ? 3 : 1);
  while (i < text.size()) {
    if (quote == '"' && text[i] == '\\') {
      i += 2;
    } else if (multi_line && text.substr(i, 3) == three) {
      i += 3;
      while (i < text.size() && text[i] == quote) ++i;  // a string may end in up to two quotes of its own
      return i;
    } else if (!multi_line && text[i] == quote) {
      return i + 1;
    } else if (!multi_line && text[i] == '\n') {
      return i;
    } else {
      ++i;
    }
  }
  return text.size();
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto tail = [&](std::size_t i, unsigned low = 0x80U, unsigned high = 0xbfU) {
    return low <= byte(i) && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80U) return 1;
  if (0xc2U <= lead && lead <= 0xdfU) return tail(1) ? 2 : 0;
  if (0xe0U <= lead && lead <= 0xefU) {
    const bool second = tail(1, lead == 0xe0U ? 0xa0U : 0x80U, lead == 0xedU ? 0x9fU : 0xbfU);
    return second && tail(2) ? 3 : 0;
  }
  if (0xf0U <= lead && lead <= 0xf4U) {
    const bool second = tail(1, lead == 0xf0U ? 0x90U : 0x80U, lead == 0xf4U ? 0x8fU : 0xbfU);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

std::optional<BadBytes> check_encoding(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0') return BadBytes{at, "a NUL byte", "a scenario is a text file"};
    const std::size_t length = utf8_length(text, at);
    if (length == 0)
      return BadBytes{at, fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[at])),
                      "a scenario is a text file in UTF-8"};
    at += length;
  }
  return std::nullopt;
}

std::optional<BadBytes> check_lines(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end - start > kLongestLine)
      return BadBytes{start, fmt::format("a line of more than {} bytes", kLongestLine), {}};
    start = end + 1;
  }
  return std::nullopt;
}

std::optional<BadBytes> check_depth(std::string_view text) {
  int depth = 0;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '[' || c == '{' || c == '=' || c == ',' || c == '\n') dots = 0;
    if (c == '.') ++dots;
    if (depth > kMaxDepth || dots > kMaxDots)
      return BadBytes{at, "nested too deep", "a scenario needs three levels at most"};
    ++at;
  }
  return std::nullopt;
}

}  // namespace tenure::format
