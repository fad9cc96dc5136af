#include "daemon/api/json.h"

#include <fmt/format.h>

namespace tenure::daemon {
namespace {

constexpr int kDeepest = 64;

// Brackets outside of strings: a tree is walked by recursion.
bool is_deep(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::variant<Json, JsonError> parse_json(std::string_view text) {
  if (is_deep(text)) return JsonError{fmt::format("it nests deeper than {} levels", kDeepest)};
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    std::string words = error.what();  // "[json.exception.parse_error.101] parse error at line …"
    const std::size_t end = words.find("] ");
    return JsonError{end == std::string::npos ? words : words.substr(end + 2)};
  }
}

}  // namespace tenure::daemon
