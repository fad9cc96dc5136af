#include "daemon/api/json.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

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

std::variant<Json, JsonError> parse(std::string_view text, const Json::parser_callback_t& each) {
  if (is_deep(text)) return JsonError{fmt::format("it nests deeper than {} levels", kDeepest)};
  try {
    return Json::parse(text, each);
  } catch (const Json::exception& error) {
    std::string words = error.what();  // "[json.exception.parse_error.101] parse error at line …"
    const std::size_t end = words.find("] ");
    return JsonError{end == std::string::npos ? words : words.substr(end + 2)};
  }
}

}  // namespace

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::variant<Json, JsonError> parse_json(std::string_view text) { return parse(text, nullptr); }

std::variant<Json, JsonError> parse_body(std::string_view text) {
  std::vector<std::set<std::string>> open;  // the keys so far of each object that is being read
  std::string twice;
  const auto each_key = [&](int, Json::parse_event_t event, const Json& key) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(key.get<std::string>()).second &&
        twice.empty())
      twice = fmt::format("the key `{}` is given twice", key.get<std::string>());
    return true;
  };
  auto parsed = parse(text, each_key);
  if (std::holds_alternative<Json>(parsed) && !twice.empty()) return JsonError{std::move(twice)};
  return parsed;
}

}  // namespace tenure::daemon
