#include "daemon/http/problem.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tenure::daemon {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const FieldError& error) {
  Json json = {{"pointer", error.pointer}, {"message", error.message}};
  if (!error.hint.empty()) json["hint"] = error.hint;
  if (error.length == 0) return json;
  json["text"] = error.text;
  json["column"] = error.at + 1;
  json["length"] = error.length;
  json["caret"] = fmt::format("{}\n{:{}}{}{}{}", error.text, "", error.at, std::string(error.length, '^'),
                              error.hint.empty() ? "" : " ", error.hint);
  return json;
}

}  // namespace

std::string text_of(const HttpProblem& problem) {
  Json json = {{"type", "urn:tenure:" + problem.type}, {"title", problem.title}, {"status", problem.status}};
  if (!problem.detail.empty()) json["detail"] = problem.detail;
  if (!problem.etag.empty()) json["etag"] = problem.etag;
  if (!problem.errors.empty()) {
    Json& errors = json["errors"] = Json::array();
    for (const FieldError& error : problem.errors) errors.push_back(json_of(error));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse response_of(const HttpProblem& problem) {
  HttpResponse response;
  response.status = problem.status;
  response.fields = problem.fields;
  response.fields.push_back({"Content-Type", "application/problem+json"});
  response.body = text_of(problem);
  return response;
}

}  // namespace tenure::daemon
