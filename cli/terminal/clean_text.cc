#include "cli/terminal/clean_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "format/syntax/bytes.h"

namespace tenure::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20U && c != '\t' && c != '\n') || byte == 0x7fU;
}

// U+0080 to U+009F, and U+FFFE and U+FFFF, which XML does not have.
bool is_odd(std::string_view character) {
  if (character.size() == 2)
    return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0U;
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

std::string percent_escaped(std::string_view text, std::string_view which) {
  std::string result;
  for (const char c : text) {
    if (which.find(c) == std::string_view::npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned>(c));
  }
  return result;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = format::utf8_length(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    const bool good = length > 0 && !is_control(character[0]) && !is_odd(character);
    result += good ? character : kReplacement;
    at += character.size();
  }
  return result;
}

std::string workflow_data(std::string_view text) { return percent_escaped(text, "%\r\n"); }
std::string workflow_property(std::string_view text) { return percent_escaped(text, "%\r\n:,"); }

// The runner takes a line for a command that begins with "::", spaces aside, or has "##[" anywhere.
std::string without_commands(std::string_view text) {
  std::string result;
  bool only_spaces = true;  // since the line began
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if ((only_spaces && rest.starts_with("::")) || rest.starts_with("##[")) {
      result += fmt::format("{} ", text[at]);
      only_spaces = false;
      continue;
    }
    const char c = text[at];
    if (c == '\n' || c == '\r')
      only_spaces = true;
    else if (c != ' ' && c != '\t')
      only_spaces = false;
    result += c;
  }
  return result;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarks = "&<>|*_`[]\\~#$@";
  std::string result;
  for (const char c : clean_text(text)) {
    if (c == '\n')
      result += "<br>";
    else if (kMarks.find(c) != std::string_view::npos)
      result += fmt::format("&#{};", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result;
}

std::string markdown_target(std::string_view path) {
  std::string encoded = percent_escaped(path, "% \t\r\n()<>[]|\\\"'`*#?");
  // A colon before the first slash would end the name of a scheme.
  if (const std::size_t colon = encoded.find(':'); colon < encoded.find('/')) encoded.insert(0, "./");
  return encoded;
}

std::string markdown_block(std::string_view text) {
  std::string clean = clean_text(text);
  while (clean.ends_with('\n')) clean.pop_back();
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : clean) {
    run = c == '~' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(longest + 1, 3), '~');
  return fmt::format("{}text\n{}\n{}\n", fence, clean, fence);
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) text += "|---";
    text += "|\n";
  }
  return text;
}

}  // namespace tenure::cli
