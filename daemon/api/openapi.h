// The description of the API for programs: OpenAPI 3.1. It is made from the table of routes, the table of a schedule's
// fields (core/schedule/schedule_fields.h), and openapi.json, which has the rest in a shorter form:
//
//   1. A type is "text", "integer", "boolean", "instant" (RFC 3339), "any", "map of T", "list of T", the words of a
//      choice ("put | deleted"), or the name of a schema; with bounds: "text up to 120", "integer 1..100", "integer 0..";
//      after a colon stands what it is. [T] is a list, too.
//   2. An object has its fields by name, an optional one with `?` behind it; "" says what it is, and "..." that there
//      may be others.
//   3. {"schema": …} is a JSON schema as it stands.
//   4. A response is what it is, and what is in it: a schema, and media types of texts. A parameter is where it stands,
//      its type, and what it is; of two with one name, one has more behind it, in brackets.
//
// Thread rule: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/api/routes.h"

namespace tenure::daemon {

const std::string& openapi_document();
// The parameters of its query that a route takes, and no others.
const std::vector<std::string>& query_parameters(const Route& route);
std::string_view openapi_frame();  // openapi.json

}  // namespace tenure::daemon
