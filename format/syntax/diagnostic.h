// One error in a scenario file or a --set, with its place, and how it is shown.
//
// Thread rule: values and pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tenure::format {

struct Diagnostic {
  std::string where;    // the file's path, or the flag: "--set election.lease_duration=8"
  int line = 0;         // from 1; 0: the whole file, or a flag
  int column = 0;       // from 1, in characters
  int length = 1;       // of what the carets underline
  std::string message;  // "unknown key `retry_perod` in [election]"
  std::string hint;     // beside the carets: "did you mean `retry_period`?"
  std::string note;     // beside the place: what the reader can do about it
  std::string excerpt;  // the line, or the flag; may be empty
};

// Three or four lines, ended by a newline:
//   error: unknown key `retry_perod` in [election]
//     --> zombie-leader.toml:19:1
//      | retry_perod = "2s"
//      | ^^^^^^^^^^^ did you mean `retry_period`?
// Control characters are shown as `?`, long lines in part. `paint` wraps "error" in terminal colours.
std::string render(const Diagnostic& diagnostic, bool paint = false);

// The number of characters in UTF-8 text: bytes that begin one.
std::size_t character_count(std::string_view text);
// The place of the byte after the first `count` characters.
std::size_t byte_of_character(std::string_view text, std::size_t count);
// The text for a terminal: control characters as `?`, at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace tenure::format
