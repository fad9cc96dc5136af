// Problems of requests, as handlers throw them; the dispatcher answers them. docs/daemon.md lists the types.
//
// Thread rule: values.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "adapters/store/answer.h"
#include "daemon/http/problem.h"

namespace tenure::daemon {

HttpProblem invalid(std::string detail, std::vector<FieldError> errors = {});
// Throws what is wrong; nothing if there are no words for it.
void check(const std::string& problem);
HttpProblem not_found(std::string detail);
// Of an answer that was not applied.
HttpProblem problem_of(const Answer& answer);

// The answer of type T. Throws HttpProblem if the store did not execute the request. REQUIRES: else it is a T.
template <class T>
const T& expect(const Answer& answer) {
  if (answer.outcome != RequestOutcome::applied) throw problem_of(answer);
  return std::get<T>(answer.reply);
}

}  // namespace tenure::daemon
