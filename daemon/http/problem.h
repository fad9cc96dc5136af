// What is wrong with a request, as clients are told (RFC 9457).
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/http/message.h"

namespace tenure::daemon {

// One thing that is wrong, and where: a pointer into the body (RFC 6901), or a parameter's name.
struct FieldError {
  std::string pointer;
  std::string message;
  std::string hint;    // beside the carets; may be empty
  std::string text;    // the value, if a part of it is underlined; may be empty
  std::size_t at = 0;  // of the part, in characters
  std::size_t length = 0;
};

struct HttpProblem {
  std::uint16_t status = 400;
  std::string type = "invalid";  // after "urn:tenure:"
  std::string title;
  std::string detail;
  std::vector<FieldError> errors = {};
  std::vector<HttpField> fields = {};  // of the answer
  std::string etag = {};               // of a schedule that is not as expected
};

HttpResponse response_of(const HttpProblem& problem);
// As an object of JSON.
std::string text_of(const HttpProblem& problem);

}  // namespace tenure::daemon
