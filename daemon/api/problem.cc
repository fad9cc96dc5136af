#include "daemon/api/problem.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/api/json.h"

namespace tenure::daemon {
namespace {

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
  return dump(json);
}

HttpResponse response_of(const HttpProblem& problem) {
  HttpResponse response;
  response.status = problem.status;
  response.fields = problem.fields;
  response.fields.push_back({"Content-Type", "application/problem+json"});
  response.body = text_of(problem);
  return response;
}

HttpProblem invalid(std::string detail, std::vector<FieldError> errors) {
  return {.status = 400,
          .type = "invalid",
          .title = "The request is not valid",
          .detail = std::move(detail),
          .errors = std::move(errors)};
}

HttpProblem not_found(std::string detail) {
  return {.status = 404, .type = "not-found", .title = "There is no such thing", .detail = std::move(detail)};
}

HttpProblem problem_of(const Answer& answer) {
  HttpProblem problem{.status = 503,
                      .type = "busy",
                      .title = answer.outcome == RequestOutcome::unknown
                                   ? "It is not known whether the store did it: ask again"
                                   : "The store did not do it",
                      .detail = answer.message};
  problem.fields.push_back({"Retry-After", "1"});
  return problem;
}

}  // namespace tenure::daemon
