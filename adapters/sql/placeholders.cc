#include "adapters/sql/placeholders.h"

#include <algorithm>
#include <cctype>

#include "adapters/sql/statement_errors.h"

namespace tenure::sql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool in_name(char c) { return begins_name(c) || is_digit(c) || c == '$'; }

// Passes over what is no SQL: strings, quoted names, comments. Each function gives the offset behind what begins at
// `at`; behind the end of the text when it is not closed, which the parser reports.
class Skipper {
 public:
  explicit Skipper(std::string_view text) : text_(text) {}

  std::size_t behind(std::size_t at) const {
    const char c = text_[at];
    if (c == '\'') return quoted(at, '\'', at > 0 && is_escape_string(at));
    if (c == '"') return quoted(at, '"', false);
    if (text_.substr(at, 2) == "--") return std::min(text_.find('\n', at), text_.size());
    if (text_.substr(at, 2) == "/*") return comment(at);
    if (c == '$') return dollar_quoted(at);
    if (begins_name(c)) return name(at);
    return at + 1;
  }

 private:
  std::size_t name(std::size_t at) const {
    while (at < text_.size() && in_name(text_[at])) ++at;
    return at;
  }
  // E'…' knows backslashes. The E is a name of its own: `some_e'x'` is none.
  bool is_escape_string(std::size_t at) const {
    const char before = text_[at - 1];
    return (before == 'e' || before == 'E') && (at < 2 || !in_name(text_[at - 2]));
  }
  std::size_t quoted(std::size_t at, char quote, bool backslashes) const {
    for (++at; at < text_.size(); ++at) {
      if (backslashes && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (at + 1 >= text_.size() || text_[at + 1] != quote) return at + 1;
        ++at;
      }
    }
    return text_.size();
  }
  std::size_t comment(std::size_t at) const {  // they nest
    int depth = 0;
    while (at < text_.size()) {
      const std::string_view two = text_.substr(at, 2);
      if (two == "/*") {
        ++depth;
        at += 2;
      } else if (two == "*/") {
        at += 2;
        if (--depth == 0) return at;
      } else {
        ++at;
      }
    }
    return at;
  }
  std::size_t dollar_quoted(std::size_t at) const {
    std::size_t end = at + 1;
    if (end < text_.size() && is_digit(text_[end])) return end;  // $1
    while (end < text_.size() && in_name(text_[end]) && text_[end] != '$') ++end;
    if (end >= text_.size() || text_[end] != '$') return at + 1;
    const std::string_view tag = text_.substr(at, end + 1 - at);
    const std::size_t close = text_.find(tag, end + 1);
    return close == std::string_view::npos ? text_.size() : close + tag.size();
  }

  std::string_view text_;
};

}  // namespace

Placed number_placeholders(std::string_view sql) {
  Placed placed;
  const Skipper skipper(sql);
  int count = 0;
  bool numbered = false;
  const auto put = [&](std::string_view text, std::size_t from, bool literal) {
    for (std::size_t i = 0; i < text.size(); ++i)
      placed.origin.push_back(static_cast<int>(literal ? from + i : from));
    placed.sql += text;
  };
  for (std::size_t at = 0; at < sql.size();) {
    if (sql[at] == '?') {
      const bool doubled = sql.substr(at, 2) == "??";
      put(doubled ? "?" : "$" + std::to_string(++count), at, false);
      at += doubled ? 2 : 1;
      continue;
    }
    numbered = numbered || (sql[at] == '$' && at + 1 < sql.size() && is_digit(sql[at + 1]));
    const std::size_t end = skipper.behind(at);
    put(sql.substr(at, end - at), at, true);
    at = end;
  }
  placed.origin.push_back(static_cast<int>(sql.size()));
  if (numbered && count > 0) throw RefusedError{"both $1 and ? for parameters", 0, "write one kind"};
  return placed;
}

}  // namespace tenure::sql
