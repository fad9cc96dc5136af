#include "cli/client/api_client.h"

#include <fmt/format.h>

#include <sstream>
#include <variant>

#include "core/base/readable_text.h"

namespace tenure::cli {
namespace {

// What the input says is wrong, or what the server does not allow now, or the server itself.
ExitCode code_of(int status) {
  if (status >= 500) return ExitCode::io_error;
  return status == kHttpBadRequest || status == kHttpTooLarge || status == kHttpUnprocessable
             ? ExitCode::bad_scenario
             : ExitCode::fail;
}

Json parsed(const std::string& body) { return Json::parse(body, nullptr, false); }

std::string unreachable(const std::string& url, const std::string& why) {
  return fmt::format(
      "cannot reach {}: {}\n  is `tenured` running there? --server or TENURE_SERVER says where it is", url,
      readable_text(why));
}

std::string refused(const HttpReply& reply, bool with_token) {
  const Json problem = parsed(reply.body);
  const bool is_problem = problem.is_object() && problem.contains("title");
  std::string text =
      is_problem ? words_of_problem(problem)
                 : fmt::format("the server answered {}, and nothing that `tenured` says", reply.status);
  if (reply.status == kHttpUnauthorized)
    text += with_token ? "\n  the token is from TENURE_TOKEN or --token-file"
                       : "\n  TENURE_TOKEN or --token-file gives the token";
  return text;
}

}  // namespace

const Json& part_at(const Json& json, const std::string& key) {
  static const Json kNothing;
  if (!json.is_object()) return kNothing;
  const auto found = json.find(key);
  return found == json.end() ? kNothing : *found;
}

std::string text_at(const Json& json, const std::string& key) {
  const Json& part = part_at(json, key);
  if (part.is_null()) return {};
  return readable_text(part.is_string() ? part.get<std::string>()
                                        : part.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string words_of_problem(const Json& problem) {
  std::string text = text_at(problem, "title");
  if (const std::string detail = text_at(problem, "detail"); !detail.empty())
    text += (text.empty() ? "" : ": ") + detail;
  const Json& errors = part_at(problem, "errors");
  if (!errors.is_array()) return text;
  for (const Json& error : errors) {
    const std::string where = text_at(error, "pointer");
    text += fmt::format("\n  {}{}", where.empty() ? "" : where + ": ", text_at(error, "message"));
    const std::string caret = text_at(error, "caret");
    const std::string hint = text_at(error, "hint");
    if (caret.empty() && !hint.empty()) text += fmt::format(" ({})", hint);
    std::istringstream lines(caret);
    for (std::string line; std::getline(lines, line);) text += "\n    " + line;
  }
  return text;
}

std::string schedule_path(const std::string& name, const std::string& rest) {
  return "/v1/schedules/" + url_escaped(name) + rest;
}

ApiClient::Answer ApiClient::ask(const HttpRequest& request) const {
  const auto sent = send_request(options_.url, options_.token, request);
  if (const auto* none = std::get_if<NoReply>(&sent))
    throw ClientError(ExitCode::io_error, unreachable(options_.url, none->why));
  const auto& reply = std::get<HttpReply>(sent);
  if (reply.status < 200 || reply.status >= 300)
    throw ClientError(code_of(reply.status), refused(reply, !options_.token.empty()), reply.status);
  Answer answer{nullptr, reply.etag};
  if (reply.body.empty()) return answer;
  answer.json = parsed(reply.body);
  if (answer.json.is_discarded())
    throw ClientError(ExitCode::io_error,
                      fmt::format("{} answered something that is no JSON: is it `tenured`?", options_.url));
  return answer;
}

}  // namespace tenure::cli
