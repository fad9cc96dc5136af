#include "format/syntax/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/syntax/bytes.h"

namespace tenure::format {
namespace {

constexpr std::size_t kWidth = 120;  // characters of an excerpt
constexpr std::size_t kBefore = 60;  // of them, at most this many before the carets
constexpr std::size_t kMessage = 400;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

// C0 and C1 controls and DEL move cursors and colours of terminals, and so may bytes that are not UTF-8.
std::string without_controls(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    const std::string_view character = text.substr(at, length);
    const bool c0 = static_cast<unsigned char>(text[at]) < 0x20U || text[at] == 0x7f;
    const bool c1 =
        character.starts_with('\xc2') && length == 2 && static_cast<unsigned char>(text[at + 1]) < 0xa0U;
    const bool bad = utf8_length(text, at) == 0;
    if (text[at] == '\t')
      clean += ' ';
    else if (c0 || c1 || bad)
      clean += '?';
    else
      clean += character;
    at += length;
  }
  return clean;
}

}  // namespace

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::size_t byte_of_character(std::string_view text, std::size_t count) {
  std::size_t byte = 0;
  while (byte < text.size()) {
    if (begins_character(text[byte]) && count-- == 0) break;
    ++byte;
  }
  return byte;
}

std::string printable(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return without_controls(text);
  while (limit > 0 && !begins_character(text[limit])) --limit;
  return without_controls(text.substr(0, limit)) + "…";
}

std::string render(const Diagnostic& d, bool paint) {
  std::string text = fmt::format("{}error:{} {}\n", paint ? "\x1b[1;31m" : "", paint ? "\x1b[0m" : "",
                                 printable(d.message, kMessage));
  text += "  --> " + printable(d.where, kMessage);
  if (d.line > 0) text += fmt::format(":{}:{}", d.line, d.column);
  if (!d.note.empty()) text += "        " + printable(d.note, kMessage);
  text += "\n";
  const std::string hint = printable(d.hint, kMessage);
  if (d.excerpt.empty()) {
    if (!hint.empty()) text += "   = " + hint + "\n";
    return text;
  }

  // A window of the line around the place.
  const auto column = static_cast<std::size_t>(std::max(d.column, 1)) - 1;
  const bool whole = character_count(d.excerpt) <= kWidth;
  const std::size_t from = !whole && column > kBefore ? column - kBefore : 0;
  std::string_view shown(d.excerpt);
  shown.remove_prefix(byte_of_character(shown, from));
  const bool cut = character_count(shown) > kWidth;
  shown = shown.substr(0, byte_of_character(shown, kWidth));
  const std::size_t caret_at = column - from + (from > 0 ? 1 : 0);
  const std::size_t room = character_count(shown) + (from > 0 ? 1 : 0);
  const std::size_t carets = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(d.length, 1)), 1,
                                                     std::max<std::size_t>(room, caret_at + 1) - caret_at);
  text += fmt::format("   | {}{}{}\n", from > 0 ? "…" : "", without_controls(shown), cut ? "…" : "");
  text += fmt::format("   | {:{}}{}{}{}\n", "", caret_at, std::string(carets, '^'), hint.empty() ? "" : " ",
                      hint);
  return text;
}

}  // namespace tenure::format
