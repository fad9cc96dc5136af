#include "daemon/api/problem.h"

#include <utility>

namespace tenure::daemon {

HttpProblem invalid(std::string detail, std::vector<FieldError> errors) {
  return {.status = 400,
          .type = "invalid",
          .title = "The request is not valid",
          .detail = std::move(detail),
          .errors = std::move(errors)};
}

void check(const std::string& problem) {
  if (!problem.empty()) throw invalid(problem);
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
