#include "daemon/api/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/store/reference/named.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"

namespace tenure::daemon {

std::optional<std::string> Call::parameter(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : query) {
    if (key != name) continue;
    if (found) throw invalid(fmt::format("the parameter `{}` is given twice", name));
    found = value;
  }
  return found;
}

std::optional<std::int64_t> Call::number_parameter(std::string_view name, std::int64_t min,
                                                   std::int64_t max) const {
  const auto text = parameter(name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc{} && end == text->data() + text->size() && value >= min && value <= max)
    return value;
  throw invalid(fmt::format("the parameter `{}` must be a whole number from {} to {}, and is `{}`", name, min,
                            max, format::printable(*text, 60)));
}

std::optional<bool> Call::flag_parameter(std::string_view name) const {
  const auto text = parameter(name);
  if (!text) return std::nullopt;
  if (*text == "true") return true;
  if (*text == "false") return false;
  throw invalid(fmt::format("the parameter `{}` must be `true` or `false`, and is `{}`", name,
                            format::printable(*text, 60)));
}

void Call::allow_parameters(std::span<const std::string> names_known) const {
  const std::vector<std::string_view> known(names_known.begin(), names_known.end());
  std::vector<FieldError> errors;
  for (const auto& [key, value] : query)
    if (std::find(known.begin(), known.end(), key) == known.end())
      errors.push_back({.pointer = key,
                        .message = fmt::format("unknown parameter `{}`", format::printable(key, 60)),
                        .hint = format::suggestion(key, known),
                        .text = {}});
  if (!errors.empty()) throw invalid("the query has parameters that are not known", std::move(errors));
}

Duration Call::took() const {
  const auto time = std::chrono::steady_clock::now() - began;
  return Duration::nanos(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

void Call::wait_for(Duration longest) const {
  if (took() < longest && context.not_ready().empty()) throw NotYet{};
}

Json Call::body() const {
  if (request.body.empty()) return Json::object();
  auto parsed = parse_body(request.body);
  if (const auto* error = std::get_if<JsonError>(&parsed))
    throw invalid("the body is not JSON as it should be: " + format::printable(error->message, 400));
  return std::get<Json>(std::move(parsed));
}

void Call::check_may_touch(std::string_view name) const {
  if (caller.may_touch(name)) return;
  throw HttpProblem{.status = 403,
                    .type = "forbidden",
                    .title = "The token is not for this schedule",
                    .detail = fmt::format("`{}` does not begin with `{}`", name, caller.prefix)};
}

const std::string& Call::schedule_name() const {
  const std::string& name = names.at(0);
  check(reference::problem_of_name(name));
  check_may_touch(name);
  return name;
}

HttpResponse json_response(const Json& json, std::uint16_t status) {
  HttpResponse response;
  response.status = status;
  response.fields = {{"Content-Type", "application/json"}};
  response.body = dump(json);
  return response;
}

}  // namespace tenure::daemon
